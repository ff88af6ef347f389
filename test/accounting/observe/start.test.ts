/**
 * The observability of `gateway start`: log, metrics over all its processes, and traces, through its settings
 * alone.
 */

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isObject, type JsonObject, tryParseJson } from '../../../src/lib/json.ts';
import { chatCompletion } from '../../support/chat-completion.ts';
import { KEY, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { type GatewayProcess, spawnGateway } from '../../support/process.ts';
import { childrenOf } from '../../support/process-tree.ts';
import { json, startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { parseExposition, type Sample, sumOf } from './exposition.ts';

const ADMIN = { GATEWAY_ADMIN_KEY: 'admin-key-of-the-tests', GATEWAY_ADMIN_PORT: '0' };

let vendor: TestUpstream;
let collector: TestUpstream;
let gateway: GatewayProcess | undefined;
beforeEach(async () => {
  vendor = await startUpstream((_, response) => json(response, chatCompletion()));
  collector = await startUpstream((_, response) => json(response, {}));
});
afterEach(async () => {
  await gateway?.close();
  await vendor.close();
  await collector.close();
});

async function start(
  workers: number,
  env: Readonly<Record<string, string>> = {},
  keys: Parameters<typeof spawnGateway>[0] = {},
): Promise<GatewayProcess> {
  gateway = await spawnGateway(
    { ...keys, workers, vendors: vendorsAtUrl(vendor.url), timeouts: { drain: 5_000 } },
    { env: { ...ADMIN, ...env } },
  );
  return gateway;
}

async function ask(at: GatewayProcess, times: number, key = KEY): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const response = await fetch(`${at.url}/v1/chat/completions`, {
      method: 'POST',
      // A new connection for each request, so that each of several processes gets its share.
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hello.' }] }),
    });
    expect(response.status).toBe(200);
    await response.text();
  }
}

function adminUrl(at: GatewayProcess): string {
  const url = /Admin API on (http:\/\/\S+)\./.exec(at.output())?.[1];
  if (url === undefined) throw new Error(at.output());
  return url;
}

async function samplesAt(url: string): Promise<readonly Sample[]> {
  const answer = await fetch(`${url}/metrics`, {
    // On a busy machine a kept-alive connection may be closed as idle just when it is used again.
    headers: { authorization: `Bearer ${ADMIN.GATEWAY_ADMIN_KEY}`, connection: 'close' },
  });
  expect(answer.status).toBe(200);
  return parseExposition(await answer.text());
}

/** The lines of requests in its output. */
function exchangesIn(output: string): readonly JsonObject[] {
  const lines = output.split('\n').map((line) => tryParseJson(line));
  return lines.filter(isObject).filter((line) => line['msg'] === 'exchange');
}

test('one process: a line a request, metrics on both listeners, the console, and traces', async () => {
  const at = await start(1, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await ask(at, 5);
  const admin = adminUrl(at);
  await expect.poll(async () => sumOf(await samplesAt(admin), 'gateway_requests_total')).toBe(5);
  const samples = await samplesAt(at.url);
  expect(sumOf(samples, 'gateway_tokens_total', { type: 'output' })).toBe(25);
  // The one that asks for it is a request too.
  expect(sumOf(samples, 'gateway_requests_in_flight')).toBe(1);
  await expect.poll(async () => sumOf(await samplesAt(admin), 'gateway_requests_in_flight')).toBe(0);
  expect(sumOf(samples, 'gateway_upstream_up', { vendor: 'openai' })).toBe(1);
  expect(sumOf(samples, 'gateway_usage_records_lost_total')).toBe(0);
  expect((await fetch(`${at.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${admin}/metrics`)).status).toBe(401);
  expect(await (await fetch(`${admin}/`)).text()).toContain('<title>Gateway console</title>');
  expect((await fetch(`${admin}/no-such`)).status).toBe(404);
  at.signal('SIGTERM');
  expect(await at.ended).toBe(0);
  expect(exchangesIn(at.output())).toHaveLength(5);
  expect(collector.received.length).toBeGreaterThan(0);
});

test('several processes: their metrics are read as one, and their lines stay whole', async () => {
  const at = await start(2);
  await ask(at, 40);
  const admin = adminUrl(at);
  await expect.poll(async () => sumOf(await samplesAt(admin), 'gateway_requests_total')).toBe(40);
  const samples = await samplesAt(admin);
  expect(sumOf(samples, 'gateway_request_duration_seconds_count')).toBe(40);
  // A worker knows only its own figures, so the public listener exports none.
  const answer = await fetch(`${at.url}/metrics`, {
    headers: { authorization: `Bearer ${ADMIN.GATEWAY_ADMIN_KEY}` },
  });
  expect(answer.status).toBe(404);
  at.signal('SIGTERM');
  expect(await at.ended).toBe(0);
  expect(exchangesIn(at.output())).toHaveLength(40);
});

test.each([1, 2])('%d processes: a wrong admin key is logged, without what was sent', async (workers) => {
  const at = await start(workers);
  const admin = adminUrl(at);
  // The console asks without a key at first.
  expect((await fetch(`${admin}/admin/keys`)).status).toBe(401);
  expect(at.output()).not.toContain('wrong admin key');
  for (const path of ['/metrics', '/admin/keys', '/admin/config']) {
    const answer = await fetch(admin + path, { headers: { authorization: 'Bearer a-guess-of-the-key' } });
    expect(answer.status).toBe(401);
  }
  await expect.poll(at.output).toContain('1 request with a wrong admin key was refused.');
  expect(at.output().match(/wrong admin key/g)).toHaveLength(1);
  if (workers === 1) {
    // The port for callers has metrics too.
    const guess = { authorization: 'Bearer a-guess-of-the-key' };
    await (await fetch(`${at.url}/metrics`, { headers: guess })).text();
    await expect.poll(() => at.output().match(/wrong admin key/g)).toHaveLength(2);
  }
  expect(at.output()).not.toContain('a-guess');
});

test.each([1, 2])(
  '%d processes: the rest of a budget is exported for keys that have one',
  async (workers) => {
    const keys = [
      {
        name: 'team',
        key: 'gw-test-key-of-a-team',
        limits: { budgetDay: 5, budgetMonth: 0.0001 },
        group: 'search',
      },
      { name: 'other', key: 'gw-test-key-unused', limits: { budgetDay: 5 } },
    ];
    const groups = [{ name: 'search', limits: { budgetDay: 50 } }];
    const at = await start(workers, {}, { keys, groups });
    const admin = adminUrl(at);
    // 7 tokens at $2 a million and 5 at $8 each: the second request crosses the budget, and is answered.
    const spent = 0.000_054;
    const remaining = async (period: string): Promise<number> =>
      sumOf(await samplesAt(admin), 'gateway_key_budget_remaining_dollars', { key: 'team', period });
    await ask(at, 1, 'gw-test-key-of-a-team');
    await expect.poll(() => remaining('day')).toBeCloseTo(5 - spent, 9);
    expect(await remaining('month')).toBeCloseTo(0.000_1 - spent, 9);
    await ask(at, 1, 'gw-test-key-of-a-team');
    await expect.poll(() => remaining('month')).toBeCloseTo(0.000_1 - 2 * spent, 9);
    // Of two processes that each answered one request, the same may know of the key's whole spending before the group's.
    const ofGroup = { group: 'search', period: 'day' };
    await expect
      .poll(async () => sumOf(await samplesAt(admin), 'gateway_group_budget_remaining_dollars', ofGroup))
      .toBeCloseTo(50 - 2 * spent, 9);
    const samples = await samplesAt(admin);
    expect(sumOf(samples, 'gateway_key_budget_dollars', { key: 'team', period: 'day' })).toBe(5);
    // The budget, what is left of it and what is held of it, for two periods of the one key that was used.
    expect(samples.filter(({ labels }) => labels['key'] !== undefined)).toHaveLength(6);
    expect(sumOf(samples, 'gateway_key_budget_reserved_dollars', { key: 'team' })).toBe(0);
    expect(sumOf(samples, 'gateway_group_budget_dollars', ofGroup)).toBe(50);
  },
);

test('several processes: counters never fall, even if one process dies or is late', async () => {
  const at = await start(2);
  const admin = adminUrl(at);
  const told = async (name: string): Promise<number> => sumOf(await samplesAt(admin), name);
  const counted = async (): Promise<readonly number[]> => {
    const samples = await samplesAt(admin);
    return ['gateway_requests_total', 'gateway_request_duration_seconds_count'].map((name) =>
      sumOf(samples, name),
    );
  };
  let asked = 0;
  for (let lost = 1; lost <= 2; lost += 1) {
    await ask(at, 20);
    asked += 20;
    await expect.poll(counted).toEqual([asked, asked]);
    const [worker = 0] = childrenOf(at.pid);
    process.kill(worker, 'SIGKILL');
    await expect.poll(() => told('gateway_workers_lost_total')).toBe(lost);
    expect(await counted()).toEqual([asked, asked]);
  }
  await ask(at, 20);
  await expect.poll(counted).toEqual([asked + 20, asked + 20]);
  for (const worker of childrenOf(at.pid)) {
    process.kill(worker, 'SIGSTOP');
    const late = await counted();
    process.kill(worker, 'SIGCONT');
    expect(late).toEqual([asked + 20, asked + 20]);
  }
});

test('the reason why a vendor is unreachable is in the line of the request, as an error code alone', async () => {
  gateway = await spawnGateway({
    vendors: { openai: { apiKey: 'sk-of-theirs', baseUrl: 'http://localhost:9/v1' } },
    log: 'json',
  });
  const response = await postJson(`${gateway.url}/v1/chat/completions`, {
    model: 'openai/gpt-4.1',
    messages: [{ role: 'user', content: 'Hello.' }],
  });
  expect(response.status).toBe(502);
  expect(await response.text()).not.toContain('ECONNREFUSED');
  const lines = () => exchangesIn(gateway?.output() ?? '');
  await expect.poll(lines).toHaveLength(1);
  expect(lines()[0]).toMatchObject({ fault: 'upstream-broken', cause: 'ECONNREFUSED' });
  expect(JSON.stringify(lines())).not.toContain('localhost');
});

test('P-10, P-20 events of the first process and of its workers are among the metrics', async () => {
  const at = await start(2);
  const admin = adminUrl(at);
  const told = async (name: string): Promise<number> => sumOf(await samplesAt(admin), name);
  expect(await told('gateway_workers_lost_total')).toBe(0);
  expect(await told('gateway_config_reloads_refused_total')).toBe(0);
  writeFileSync(join(at.directory, 'gateway.config.json'), '{"port": "none"}');
  at.signal('SIGHUP');
  await expect.poll(() => told('gateway_config_reloads_refused_total')).toBeGreaterThanOrEqual(1);
  const [worker = 0] = childrenOf(at.pid);
  process.kill(worker, 'SIGKILL');
  await expect.poll(() => told('gateway_workers_lost_total')).toBe(1);
});

test('no log if it is turned off; an invalid collector address stops the start', async () => {
  const at = await start(1, { GATEWAY_LOG: 'none' });
  await ask(at, 2);
  at.signal('SIGTERM');
  expect(await at.ended).toBe(0);
  expect(exchangesIn(at.output())).toEqual([]);
  await at.close();
  await expect(start(1, { OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' })).rejects.toThrow(
    'OTEL_EXPORTER_OTLP_ENDPOINT must be',
  );
});

test.each([1, 2])(
  'the line of a refused request names its key if that has expired, with %i workers',
  async (workers) => {
    const keys = [
      { name: 'spring-campaign', key: 'gw-expired-key-of-the-tests', expires: '2026-01-01T00:00:00Z' },
    ];
    const at = await start(workers, {}, { keys });
    const answers = await Promise.all(
      ['gw-expired-key-of-the-tests', 'gw-unknown-key-of-the-tests'].map(async (key) => {
        const headers = { authorization: `Bearer ${key}`, 'x-request-id': key.slice(3, 10) };
        const answer = await postJson(`${at.url}/v1/chat/completions`, {}, { headers });
        return [answer.status, await answer.text()] as const;
      }),
    );
    // The answer does not say which keys there have been.
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(401);
    expect(answers[0]?.[1]).not.toContain('spring-campaign');
    await expect.poll(() => exchangesIn(at.output())).toHaveLength(2);
    const byId = new Map(exchangesIn(at.output()).map((line) => [line['id'], line]));
    expect(byId.get('expired')).toMatchObject({ expiredKey: 'spring-campaign', fault: 'unauthenticated' });
    // The request does not count as usage of the key.
    expect(byId.get('expired')).not.toHaveProperty('key');
    expect(byId.get('unknown')).not.toHaveProperty('expiredKey');
  },
);

test.each([1, 2])(
  'the line of a refused request names its key if that was revoked, with %i workers, until it is erased',
  async (workers) => {
    const at = await start(workers);
    const admin = adminUrl(at);
    const asAdmin = { key: ADMIN.GATEWAY_ADMIN_KEY };
    const created = await postJson(`${admin}/admin/keys`, { name: 'left-the-team' }, asAdmin);
    const key = String(Object(await created.json()).key);
    const remove = async (path: string): Promise<number> => {
      const headers = { authorization: `Bearer ${ADMIN.GATEWAY_ADMIN_KEY}` };
      return (await fetch(`${admin}/admin/${path}`, { method: 'DELETE', headers })).status;
    };
    expect(await remove('keys/left-the-team')).toBe(200);
    /** The line of a new request with the revoked key. */
    const lineOf = async (): Promise<object> => {
      const headers = { 'x-request-id': randomUUID(), connection: 'close' };
      const answer = await postJson(`${at.url}/v1/chat/completions`, {}, { key, headers });
      expect(answer.status).not.toBe(200);
      expect(await answer.text()).not.toContain('left-the-team');
      const found = () => exchangesIn(at.output()).find(({ id }) => id === headers['x-request-id']);
      await expect.poll(found).toBeDefined();
      return found() ?? {};
    };
    // Of two workers, the other may still know the key.
    let line: object = {};
    const readLine = async (): Promise<object> => {
      line = await lineOf();
      return line;
    };
    await expect.poll(readLine).toMatchObject({ revokedKey: 'left-the-team', fault: 'unauthenticated' });
    expect(line).not.toHaveProperty('key');
    expect(await remove('usage?key=left-the-team')).toBe(200);
    await expect.poll(lineOf).not.toHaveProperty('revokedKey');
  },
);
