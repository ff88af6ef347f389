/**
 * Tokens in a gateway process of its own: its start, end, log, store and workers, and a changed
 * configuration.
 */

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { runCommand, SOURCE_PROGRAM } from '../../support/command.ts';
import { KEY, vendorsAtUrl } from '../../support/gateway.ts';
import { preload } from '../../support/preload.ts';
import { type GatewayProcess, spawnGateway } from '../../support/process.ts';
import { eventually } from '../../support/raw.ts';
import { hasRedis, startRedis } from '../../support/redis.ts';
import { ask, startVendor, statusOf, type TestVendor } from '../limits/support.ts';
import { type Provider, startProvider } from './provider.ts';

let provider: Provider;
let vendor: TestVendor;
const running: GatewayProcess[] = [];
beforeEach(async () => {
  provider = await startProvider();
  vendor = await startVendor();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway.close()));
  await vendor.close();
  await provider.close();
});

/**
 * Load shedding is off: on a machine that runs many tests at once, the process would otherwise reject
 * requests of these tests.
 */
const CALM = { eventLoopDelay: 600_000 };

async function start(input: ConfigInput, ...rest: readonly [object?]): Promise<GatewayProcess> {
  const config = { vendors: vendorsAtUrl(vendor.url), limits: CALM, ...input };
  const gateway = await spawnGateway(config, ...rest);
  running.push(gateway);
  return gateway;
}

function rewrite({ directory }: GatewayProcess, input: ConfigInput): void {
  const file = join(directory, 'gateway.config.json');
  const keys = [{ name: 'test', key: KEY }];
  const config = { port: 0, vendors: vendorsAtUrl(vendor.url), limits: CALM, keys, ...input };
  writeFileSync(`${file}.new`, JSON.stringify(config));
  renameSync(`${file}.new`, file);
}

/** Reports every loaded module by name when asked. */
const telling = {
  program: SOURCE_PROGRAM,
  ...preload(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve(name, context, next) {
    if (name === 'jose') console.error('asked for jose');
    return next(name, context);
  } });
`),
};

test('the code that verifies tokens is loaded only if a provider is configured', async () => {
  const without = await start({}, telling);
  expect(await statusOf(ask(without.url, KEY))).toBe(200);
  expect(await statusOf(ask(without.url, await provider.token()))).toBe(401);
  expect(without.output()).not.toContain('asked for jose');
  const having = await start({ identities: [provider.identity()] }, telling);
  expect(await statusOf(ask(having.url, await provider.token()))).toBe(200);
  expect(having.output()).toContain('asked for jose');
});

test('the log and the usage contain the caller’s name, and nothing contains the token', async () => {
  const identities = [provider.identity({ subject: 'email' })];
  const gateway = await start({ identities, log: 'json' });
  const token = await provider.token({ email: 'alice@example.com' });
  const late = await provider.token({ email: 'alice@example.com', exp: 7 });
  expect(await statusOf(ask(gateway.url, token))).toBe(200);
  for (const one of [token, late]) {
    const path = `${gateway.url}/v1beta/models/gemini-2.5-flash:generateContent?key=${one}`;
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
    await (
      await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    ).text();
    await (await fetch(`${gateway.url}/v1beta/models?key=${one}`)).text();
    await (await fetch(`${gateway.url}/nowhere?key=${one}`)).text();
  }
  await eventually(() => gateway.output().includes('"key":"okta/alice@example.com"'), 'it is logged');
  // Usage is written half a second later than the log.
  const usage = async (): Promise<string> =>
    (await runCommand(gateway.directory, ['usage', '--by', 'key', '--csv'])).stdout;
  await expect.poll(usage).toContain('okta/alice@example.com');
  for (const part of [...token.split('.'), ...late.split('.')])
    expect(gateway.output() + JSON.stringify(vendor.received)).not.toContain(part);
});

test('a first start creates no key if callers use tokens', async () => {
  const gateway = await start({ identities: [provider.identity()] }, { keyless: true });
  expect(gateway.output()).not.toMatch(/gw_/);
  expect(await statusOf(ask(gateway.url, await provider.token()))).toBe(200);
});

test('the process ends at once, even while a provider never answers', async () => {
  const release = provider.hold();
  const gateway = await start({ identities: [provider.identity()] });
  await eventually(() => provider.paths().length === 1, 'the provider is asked');
  gateway.signal('SIGTERM');
  expect(await gateway.ended).toBe(0);
  expect(gateway.output()).not.toContain('cannot be asked');
  release();
});

test.each([1, 2])(
  'a new configuration takes effect and keeps the cached keys: %d processes',
  async (workers) => {
    const gateway = await start({ workers, identities: [provider.identity()] });
    await eventually(() => provider.asked() === workers, 'all of them ask');
    const token = await provider.token();
    const other = await provider.token({ aud: 'another' });
    for (let at = 0; at < 4; at += 1) {
      expect(await statusOf(ask(gateway.url, token))).toBe(200);
      expect(await statusOf(ask(gateway.url, other))).toBe(401);
    }
    provider.instead((_, response) => void response.socket?.destroy());
    rewrite(gateway, { workers, identities: [provider.identity({ audience: 'another' })] });
    await expect.poll(() => statusOf(ask(gateway.url, other))).toBe(200);
    // The other worker may lag for a moment.
    await expect
      .poll(async () => {
        const asked = Array.from({ length: 6 }, () => statusOf(ask(gateway.url, token)));
        return new Set(await Promise.all(asked));
      })
      .toEqual(new Set([401]));
    rewrite(gateway, { workers });
    await expect.poll(() => statusOf(ask(gateway.url, other))).toBe(401);
    expect(await statusOf(ask(gateway.url, KEY))).toBe(200);
  },
);

test('a worker reports that a provider is unreachable', async () => {
  provider.instead((_, response) => response.writeHead(500).end());
  const gateway = await start({ workers: 2, identities: [provider.identity()], log: 'json' });
  await eventually(
    () =>
      gateway.output().includes('The keys of the identity provider okta cannot be fetched: it answered 500.'),
    'it is reported',
  );
});

test.skipIf(!hasRedis())('a caller’s permissions and limits are the same in two processes', async () => {
  const redis = await startRedis();
  try {
    const identities = [provider.identity({ limits: { requestsPerMinute: 3 } })];
    const one = await start({ identities, redis: { url: redis.url } });
    const other = await start({ identities, redis: { url: redis.url } });
    const token = await provider.token();
    const statuses: number[] = [];
    for (const { url } of [one, other, one, other, one]) statuses.push(await statusOf(ask(url, token)));
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(await statusOf(ask(other.url, await provider.token({ sub: 'bob' })))).toBe(200);
  } finally {
    await redis.close();
  }
});

test('a check reports the provider, and unknown models of its callers', async () => {
  const gateway = await start({ identities: [provider.identity({ models: ['openai/no-such'] })] });
  const { code, stdout } = await runCommand(gateway.directory, ['check']);
  expect(code).toBe(0);
  expect(stdout).toContain(`Callers may use tokens of ${provider.issuer}. Their names begin with okta/.`);
  expect(stdout).toContain('Note: the catalog has no model openai/no-such');
});
