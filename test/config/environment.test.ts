/** Configuration by the environment variables that the README lists. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/load.ts';
import type { Environment } from '../../src/lib/environment.ts';

const directory = mkdtempSync(join(tmpdir(), 'gateway-environment-'));
afterAll(() => rmSync(directory, { recursive: true }));

const KEY = 'a-key-of-sixteen-or-more';

test.each<[Environment, object]>([
  [
    { HOST: '::1', PORT: '8123', WORKERS: '3' },
    { host: '::1', port: 8123, workers: 3 },
  ],
  [{ GATEWAY_LOG: 'json' }, { log: 'json' }],
  [{ HTTPS_PROXY: 'http://a', NO_PROXY: 'b' }, { proxy: { url: 'http://a', except: 'b' } }],
  [{ https_proxy: 'http://a', no_proxy: 'b' }, { proxy: { url: 'http://a', except: 'b' } }],
  [{ DATABASE_URL: 'postgres://a/b' }, { store: { url: 'postgres://a/b' } }],
  [{ GATEWAY_STORE_PATH: 'a.db' }, { store: { path: 'a.db' } }],
  [{ REDIS_URL: 'redis://a' }, { redis: { url: 'redis://a' } }],
  [
    { GATEWAY_ADMIN_KEY: KEY, GATEWAY_ADMIN_HOST: '0.0.0.0', GATEWAY_ADMIN_PORT: '9000' },
    { admin: { key: KEY, host: '0.0.0.0', port: 9000 } },
  ],
  [{ GATEWAY_API_KEY: KEY }, { keys: [{ name: 'GATEWAY_API_KEY', key: KEY }] }],
  // Not a number, though it is written in digits.
  [{ GATEWAY_ADMIN_KEY: '1234567890123456' }, { admin: { key: '1234567890123456' } }],
  ...Object.entries({
    OPENAI: 'openai',
    ANTHROPIC: 'anthropic',
    GEMINI: 'google',
    COMPATIBLE: 'compatible',
  }).map(([prefix, vendor]): [Environment, object] => [
    { [`${prefix}_API_KEY`]: 'k', [`${prefix}_BASE_URL`]: 'http://a' },
    { vendors: { [vendor]: { apiKey: 'k', baseUrl: 'http://a' } } },
  ]),
])('%j', async (environment, config) => {
  expect(await readConfig(environment, directory)).toMatchObject(config);
});

test('overrides the file, but keeps its keys, and has no effect if it is empty', async () => {
  const file = {
    port: 1,
    host: 'from-the-file',
    vendors: { openai: { apiKey: 'from-the-file', headers: { a: 'b' } } },
    keys: [{ name: 'team', key: 'the-key-of-the-team' }],
  };
  writeFileSync(join(directory, 'house.json'), JSON.stringify(file));
  const environment = { GATEWAY_CONFIG: 'house.json', PORT: '2', HOST: '', OPENAI_API_KEY: 'k' };
  expect(await readConfig(environment, directory)).toMatchObject({
    port: 2,
    host: 'from-the-file',
    vendors: { openai: { apiKey: 'k', headers: { a: 'b' } } },
    keys: [{ name: 'team' }],
  });
  const { keys } = await readConfig({ ...environment, GATEWAY_API_KEY: KEY }, directory);
  expect(keys.map(({ name }) => name)).toEqual(['team', 'GATEWAY_API_KEY']);
  // Compose passes unset variables on as empty ones.
  const empty = await readConfig({ ...environment, GATEWAY_API_KEY: '' }, directory);
  expect(empty.keys.map(({ name }) => name)).toEqual(['team']);
});

test('is not blamed for errors in the file', async () => {
  writeFileSync(join(directory, 'wrong.json'), JSON.stringify({ timeouts: { total: '5s' } }));
  const reading = readConfig({ GATEWAY_CONFIG: 'wrong.json', OPENAI_API_KEY: 'k', PORT: '2' }, directory);
  await expect(reading).rejects.toThrow(/timeouts\.total: /);
  await expect(reading).rejects.not.toThrow(/OPENAI_API_KEY|PORT/);
});
