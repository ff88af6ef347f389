/**
 * Answers of simulated vendors are marked, cost nothing, use up no budget, and are left out of reports on
 * vendors.
 */

import { afterEach, expect, test } from 'vitest';
import { reportUsage } from '../../../src/accounting/usage/report.ts';
import { formatDay } from '../../../src/lib/calendar.ts';
import { openStore } from '../../../src/store/store.ts';
import { KEY, startRecorded } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { type GatewayProcess, spawnGateway } from '../../support/process.ts';

const POOR = 'gw_a-key-with-a-small-budget';

/** Sends a request in each format, streamed and whole. @returns the statuses. */
async function askAll(url: string, key: string): Promise<number[]> {
  const words = 'Tell me a long story.';
  const chat = { messages: [{ role: 'user', content: words }] };
  const requests: [path: string, body: object][] = [false, true].flatMap((stream): [string, object][] => [
    ['/v1/chat/completions', { model: 'openai/gpt-5.4', ...chat, stream }],
    ['/v1/responses', { model: 'openai/gpt-5.4', input: words, stream }],
    ['/v1/messages', { model: 'anthropic/claude-sonnet-4-5', max_tokens: 1_000, ...chat, stream }],
    ['/v1/messages', { model: 'openai/gpt-5.4', max_tokens: 1_000, ...chat, stream }],
    [
      `/v1beta/models/gemini-2.5-flash:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      { contents: [{ parts: [{ text: words }] }] },
    ],
    ['/v1/chat/completions', { model: 'deepseek/deepseek-v4-pro', ...chat, stream }],
  ]);
  return Promise.all(
    requests.map(async ([path, body]) => {
      const response = await postJson(url + path, body, { key });
      await response.text();
      return response.status;
    }),
  );
}

let running: GatewayProcess | undefined;
afterEach(() => running?.close());

test('every request of the sandbox is recorded as simulated, at no cost, with its tokens', async () => {
  const gateway = await startRecorded();
  expect(new Set(await askAll(gateway.url, KEY))).toEqual(new Set([200]));
  await expect.poll(() => gateway.records.length).toBe(12);
  for (const record of gateway.records) {
    expect(record).toMatchObject({ vendor: 'sandbox', cost: 0 });
    expect(record.usage.output ?? record.estimated?.tokens).toBeGreaterThan(0);
    expect(record.estimated?.cost ?? 0).toBe(0);
    expect(record.model).toMatch(/^(?:openai|anthropic|google|deepseek)\//);
  }
  await gateway.close();
});

test('a sandbox answer that its caller abandons costs nothing either', async () => {
  const gateway = await startRecorded({ sandbox: { pace: 'realistic' } });
  const leaving = new AbortController();
  const response = await postJson(
    `${gateway.url}/v1/chat/completions`,
    {
      model: 'openai/gpt-5.4',
      stream: true,
      messages: [{ role: 'user', content: 'play: long-text' }],
    },
    { signal: leaving.signal },
  );
  await response.body?.getReader().read();
  leaving.abort();
  await expect.poll(() => gateway.records.length).toBe(1);
  const [record] = gateway.records;
  expect(record).toMatchObject({ vendor: 'sandbox', outcome: 'client-closed' });
  expect((record?.cost ?? 0) + (record?.estimated?.cost ?? 0)).toBe(0);
  await gateway.close();
});

test('a key with a tiny budget can use the sandbox without limit, and its budget stays whole', async () => {
  const keys = [{ name: 'poor', key: POOR, limits: { budgetMonth: 0.000001 } }];
  running = await spawnGateway({ keys });
  const { url, directory } = running;
  for (let round = 0; round < 3; round += 1) expect(new Set(await askAll(url, POOR))).toEqual(new Set([200]));
  running.signal('SIGTERM');
  expect(await running.ended).toBe(0);

  const store = await openStore({ path: `${directory}/.gateway/gateway.db` });
  const today = formatDay(Date.now());
  const asked = { from: today, to: today, by: ['key', 'vendor'], limit: 10 } as const;
  expect(await reportUsage(store, { ...asked, simulated: false })).toMatchObject({
    lines: [],
    total: { requests: 0 },
  });
  const simulated = await reportUsage(store, { ...asked, simulated: true });
  expect(simulated.lines.map(({ of }) => of)).toEqual([{ key: 'poor', vendor: 'sandbox' }]);
  expect(simulated.total).toMatchObject({ requests: 36, cost: 0, estimated_cost: 0 });
  await store.close();
});
