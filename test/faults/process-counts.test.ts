/** What is counted while something is wrong: usage that cannot be stored, and unknown names. */

import { afterEach, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { parseExposition, type Sample, sumOf } from '../accounting/observe/exposition.ts';
import { chatCompletion } from '../support/chat-completion.ts';
import { vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { type GatewayProcess, type ProcessOptions, spawnGateway } from '../support/process.ts';
import { json, startUpstream, type TestUpstream } from '../support/upstream.ts';
import { requestOf, ways } from './stage.ts';

const ADMIN_KEY = 'admin-key-of-the-tests';

let vendor: TestUpstream | undefined;
let gateway: GatewayProcess | undefined;
afterEach(async () => {
  await gateway?.close();
  await vendor?.close();
});

async function start(input: ConfigInput, options: ProcessOptions = {}): Promise<GatewayProcess> {
  vendor = await startUpstream((_, response) => json(response, chatCompletion()));
  gateway = await spawnGateway(
    {
      vendors: vendorsAtUrl(vendor.url),
      admin: { key: ADMIN_KEY, port: 0 },
      log: 'none',
      limits: { eventLoopDelay: 600_000 },
      ...input,
    },
    options,
  );
  return gateway;
}

const ask = async (at: GatewayProcess, path: string, body: string): Promise<number> => {
  const response = await postJson(at.url + path, body);
  await response.arrayBuffer();
  return response.status;
};

async function samplesOf(at: GatewayProcess): Promise<readonly Sample[]> {
  const answer = await fetch(`${at.url}/metrics`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  expect(answer.status).toBe(200);
  return parseExposition(await answer.text());
}

test('P-15 the disk is full: requests go on, records that are not kept are counted, and one line reports it', async () => {
  // No file may grow beyond 320 KB: for a writer, that is a full disk.
  const at = await start(
    { usage: { interval: 20, batch: 10, queue: 50, spool: 20_000 } },
    { shell: 'ulimit -f 640;' },
  );
  const [native] = ways;
  const lost = async (): Promise<number> => sumOf(await samplesOf(at), 'gateway_usage_records_lost_total');
  let asked = 0;
  // On a busy machine, some may be lost before that because too many wait.
  while ((await lost()) === 0 || !at.output().includes('Usage cannot be written')) {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, () => ask(at, native.path, requestOf(native, false))),
    );
    asked += statuses.length;
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(asked).toBeLessThan(20_000);
  }
  expect(at.alive()).toBe(true);
  // Nothing is counted twice, and no more records wait than may.
  await expect
    .poll(async () => sumOf(await samplesOf(at), 'gateway_requests_total', { outcome: 'complete' }))
    .toBe(asked);
  at.signal('SIGTERM');
  expect(await at.ended).toBe(0);
});

test('P-18 2,000 unknown model names make no series', async () => {
  const at = await start({});
  const one = (name: string): Promise<number[]> =>
    Promise.all([
      ...ways.map(({ path }) => ask(at, path, requestOf({ model: name }, false))),
      ask(at, `/v1beta/models/${encodeURIComponent(name)}:generateContent`, '{"contents":[]}'),
    ]);
  await one('vendor/model-of-the-first');
  const series = async (): Promise<readonly Sample[]> =>
    (await samplesOf(at)).filter(({ name }) => name.startsWith('gateway_'));
  const before = (await series()).length;
  for (let round = 0; round < 40; round += 1) {
    const names = Array.from({ length: 50 }, (_, index) => {
      const number = round * 50 + index;
      return index % 3 === 0
        ? `made-up-${number}`
        : `${index % 3 === 1 ? 'openai' : `vendor-${number}`}/made-up-${number}`;
    });
    for (const statuses of await Promise.all(names.map(one))) expect(statuses).toEqual([404, 404, 404]);
  }
  const after = await series();
  expect(sumOf(after, 'gateway_requests_total', { status: '404' })).toBe(3 * 2_001);
  expect(after.length).toBeLessThanOrEqual(before);
  expect(JSON.stringify(after)).not.toContain('made-up');
});
