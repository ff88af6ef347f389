/**
 * `gateway start` enforces limits on keys: those of its configuration and those that are created while it
 * serves.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../support/command.ts';
import { vendorsAtUrl } from '../../support/gateway.ts';
import { type GatewayProcess, spawnGateway } from '../../support/process.ts';
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { soon } from '../../support/soon.ts';
import { ask, startVendor, statusOf, type TestVendor } from './support.ts';

const LIMITED = 'gw-test-key-with-limits';

let vendor: TestVendor;
/** The address of a store that outlives its processes. */
let directory: string;
const running: GatewayProcess[] = [];
beforeEach(async () => {
  vendor = await startVendor();
  directory = await mkdtemp(join(tmpdir(), 'gateway-limits-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway.close()));
  await vendor.close();
  await rm(directory, { recursive: true, force: true });
});

async function start(...rest: Parameters<typeof spawnGateway>): Promise<GatewayProcess> {
  const [input, options] = rest;
  const gateway = await spawnGateway({ vendors: vendorsAtUrl(vendor.url), log: 'none', ...input }, options);
  running.push(gateway);
  return gateway;
}

test('a key created with limits is bound by them, and its spending is known after a restart', async () => {
  const env = { GATEWAY_STORE_PATH: join(directory, 'gateway.db') };
  const first = await start({}, { env });
  const options = ['--requests-per-minute', '100', '--budget-day', '1', '--budget-month', '1'];
  const created = await runCommand(first.directory, ['keys', 'create', '--name', 'made', ...options], env);
  const key = /gw_[\w-]+/.exec(created.stdout)?.[0] ?? '';
  expect(key, created.stderr).not.toBe('');
  vendor.takes(1_000_000, 0);
  const answered = await soon(async () => {
    const response = await ask(first.url, key);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    return response;
  });
  expect(answered.headers.get('x-ratelimit-limit-requests')).toBe('100');
  await soon(async () => expect(await statusOf(ask(first.url, key))).toBe(429));

  first.signal('SIGTERM');
  expect(await first.ended).toBe(0);
  const second = await start({}, { env });
  const refused = await ask(second.url, key);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { code: 'insufficient_quota' } });
});

test('what a key spent on a model is known after a restart, under a limit that was set while it was served', async () => {
  const env = { GATEWAY_STORE_PATH: join(directory, 'gateway.db') };
  const first = await start({}, { env });
  const created = await runCommand(first.directory, ['keys', 'create', '--name', 'made'], env);
  const key = /gw_[\w-]+/.exec(created.stdout)?.[0] ?? '';
  expect(key, created.stderr).not.toBe('');
  vendor.takes(1_000_000, 0);
  await soon(async () => expect(await statusOf(ask(first.url, key))).toBe(200));
  const limit = 'openai/gpt-4.1 openai/o3 requests-per-minute=90 budget-day=1; anthropic/* budget-month=0';
  const changed = await runCommand(first.directory, ['keys', 'change', 'made', '--model-limits', limit], env);
  expect(changed.code, changed.stderr).toBe(0);
  const listed = await runCommand(first.directory, ['keys', 'list'], env);
  expect(listed.stdout).toContain(limit);
  await soon(async () => expect(await statusOf(ask(first.url, key))).toBe(429));
  first.signal('SIGTERM');
  expect(await first.ended).toBe(0);

  const second = await start({}, { env });
  const refused = await ask(second.url, key);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { code: 'insufficient_quota' } });
  const lifted = await runCommand(
    second.directory,
    ['keys', 'change', 'made', '--model-limits', 'none'],
    env,
  );
  expect(lifted.code, lifted.stderr).toBe(0);
  await soon(async () => expect(await statusOf(ask(second.url, key))).toBe(200));
  const wrong = await runCommand(
    second.directory,
    ['keys', 'change', 'made', '--model-limits', 'openai/o3'],
    env,
  );
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('must have models and limits')]);
});

test('a group of the store is bound by its budget, which its keys use up while they belong to it', async () => {
  const env = { GATEWAY_STORE_PATH: join(directory, 'gateway.db') };
  const first = await start({}, { env });
  const run = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(first.directory, words, env);
    expect(code, stderr).toBe(0);
    return stdout.trim();
  };
  await run('groups', 'create', 'search', '--budget-month', '1', '--requests-per-minute', '100');
  const one = await run('keys', 'create', 'one', '--group', 'search');
  const two = await run('keys', 'create', 'two');
  // Usage of the key before it joins the group does not count for the group.
  vendor.takes(1_000_000, 0);
  await soon(async () => expect(await statusOf(ask(first.url, two))).toBe(200));
  await run('keys', 'change', 'two', '--group', 'search');
  vendor.takes(0, 0);
  await soon(async () => {
    const { headers } = await ask(first.url, two);
    expect(headers.get('x-ratelimit-limit-requests')).toBe('100');
  });
  expect(await statusOf(ask(first.url, one))).toBe(200);
  // What one key uses is gone for the other, and stays used when the key is deleted.
  vendor.takes(1_000_000, 0);
  expect(await statusOf(ask(first.url, two))).toBe(200);
  await soon(async () => expect(await statusOf(ask(first.url, one))).toBe(429));
  await run('keys', 'change', 'two', '--group', 'none');
  vendor.takes(0, 0);
  await soon(async () => expect(await statusOf(ask(first.url, two))).toBe(200));
  await run('keys', 'revoke', 'two');
  expect(await statusOf(ask(first.url, one))).toBe(429);

  first.signal('SIGTERM');
  expect(await first.ended).toBe(0);
  const second = await start({}, { env });
  const refused = await ask(second.url, one);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({
    error: {
      code: 'insufficient_quota',
      message: expect.stringContaining('The group search of this API key'),
    },
  });
  await run('groups', 'change', 'search', '--budget-month', '9');
  await soon(async () => expect(await statusOf(ask(second.url, one))).toBe(200));
});

test('a group of the configuration is bound by its limits, and by new ones when the configuration changes', async () => {
  const keys = [
    { name: 'one', key: LIMITED, group: 'search' },
    { name: 'two', key: `${LIMITED}-two`, group: 'search' },
  ];
  const config = (requestsPerMinute: number) => ({
    keys,
    groups: [{ name: 'search', limits: { requestsPerMinute } }],
  });
  const gateway = await start(config(1));
  expect(await statusOf(ask(gateway.url, LIMITED))).toBe(200);
  expect(await statusOf(ask(gateway.url, `${LIMITED}-two`))).toBe(429);
  const next = { port: 0, vendors: vendorsAtUrl(vendor.url), log: 'none', ...config(50) };
  await writeFile(join(gateway.directory, 'gateway.config.json'), JSON.stringify(next));
  gateway.signal('SIGHUP');
  await soon(async () => expect(await statusOf(ask(gateway.url, LIMITED))).toBe(200));
});

test('processes that share a store see each other’s spending', async () => {
  const env = { GATEWAY_STORE_PATH: join(directory, 'gateway.db') };
  const keys = [{ name: 'limited', key: LIMITED, limits: { budgetMonth: 1 } }];
  const [one, other] = await Promise.all([start({ keys }, { env }), start({ keys }, { env })]);
  expect(await statusOf(ask(other.url, LIMITED))).toBe(200);
  vendor.takes(1_000_000, 0);
  expect(await statusOf(ask(one.url, LIMITED))).toBe(200);
  vendor.takes(1, 1);
  await soon(async () => expect(await statusOf(ask(other.url, LIMITED))).toBe(429));
});

describe.skipIf(!hasRedis())('with Redis', () => {
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.close());

  test.each(['key', 'group'])(
    'a limit of a %s applies across all workers and a process beside them',
    async (of) => {
      const limits = { requestsPerMinute: 6 };
      const keys =
        of === 'key'
          ? [{ name: 'limited', key: LIMITED, limits }]
          : [
              { name: 'one', key: LIMITED, group: 'limited' },
              { name: 'two', key: `${LIMITED}-two`, group: 'limited' },
            ];
      const groups = [{ name: 'limited', limits }];
      const env = { REDIS_URL: redis.url };
      const [several, alone] = await Promise.all([
        start({ keys, groups, workers: 2 }, { env }),
        start({ keys, groups }, { env }),
      ]);
      const statuses = await Promise.all(
        [several, several, several, several, several, alone, alone, alone, alone, alone].map(({ url }, at) =>
          statusOf(ask(url, of === 'group' && at % 2 === 0 ? `${LIMITED}-two` : LIMITED)),
        ),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(6);
      expect(statuses.filter((status) => status === 429)).toHaveLength(4);
      several.signal('SIGTERM');
      alone.signal('SIGTERM');
      expect(await Promise.all([several.ended, alone.ended])).toEqual([0, 0]);
      expect(`${several.output()}${alone.output()}`).not.toContain('Redis cannot be reached');
    },
  );
});

test('an invalid Redis address is reported at the start', async () => {
  await expect(start({}, { env: { REDIS_URL: 'http://localhost' } })).rejects.toThrow(/redis\.url/);
});
