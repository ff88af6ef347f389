/** Configuration by the environment variables that the README lists. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/load.ts';
import { configuredVendors } from '../../src/config/vendors.ts';
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
  // Kubernetes sets these for services named `gateway-admin` and such, in every pod beside them.
  [
    { GATEWAY_ADMIN_KEY: KEY, GATEWAY_ADMIN_PORT: 'tcp://10.0.0.11:8788', PORT: 'tcp://[fd00::11]:80' },
    { port: 8787, admin: { key: KEY, port: 8788 } },
  ],
  // Not a number, though it is written in digits.
  [{ GATEWAY_ADMIN_KEY: '1234567890123456' }, { admin: { key: '1234567890123456' } }],
  ...Object.entries({
    OPENAI: 'openai',
    ANTHROPIC: 'anthropic',
    GEMINI: 'google',
    MISTRAL: 'mistralai',
    DEEPSEEK: 'deepseek',
    XAI: 'x-ai',
    ZAI: 'z-ai',
    DASHSCOPE: 'qwen',
    MOONSHOT: 'moonshotai',
    MINIMAX: 'minimax',
    PERPLEXITY: 'perplexity',
    COHERE: 'cohere',
    COMPATIBLE: 'compatible',
  }).map(([prefix, vendor]): [Environment, object] => [
    { [`${prefix}_API_KEY`]: 'k', [`${prefix}_BASE_URL`]: 'http://a' },
    { vendors: { [vendor]: { apiKey: 'k', baseUrl: 'http://a' } } },
  ]),
])('%j', async (environment, config) => {
  expect(await readConfig(environment, directory)).toMatchObject(config);
});

test.each<[string, model: string, origin: string]>([
  ['MISTRAL_API_KEY', 'mistralai/mistral-medium-3-5', 'https://api.mistral.ai'],
  ['DEEPSEEK_API_KEY', 'deepseek/deepseek-v4-flash', 'https://api.deepseek.com'],
  ['XAI_API_KEY', 'x-ai/grok-4', 'https://api.x.ai'],
  ['OPENROUTER_API_KEY', 'meta-llama/llama-4-maverick', 'https://openrouter.ai'],
  ['OPENROUTER_API_KEY', 'deepseek/deepseek-v4-flash', 'https://openrouter.ai'],
])('a key alone lets a vendor serve its models: %s, %s', async (name, id, origin) => {
  const config = await readConfig({ [name]: 'a-key-of-the-vendor' }, directory);
  const vendors = configuredVendors(config);
  expect(vendors.serving({ id })).toMatchObject({ origin, key: 'a-key-of-the-vendor' });
  expect(vendors.serving({ id: 'openai/gpt-4.1' })).toBeUndefined();
});

test('OpenRouter’s key takes no place that is taken', async () => {
  const openRouter = { OPENROUTER_API_KEY: 'k' };
  const named = { ...openRouter, COMPATIBLE_API_KEY: 'other', COMPATIBLE_BASE_URL: 'http://a' };
  const { vendors } = await readConfig(named, directory);
  expect(vendors['compatible']).toMatchObject({ apiKey: 'other', baseUrl: 'http://a' });
  writeFileSync(
    join(directory, 'taken.json'),
    JSON.stringify({ vendors: { compatible: { apiKey: 'other', baseUrl: 'http://a' } } }),
  );
  const filed = await readConfig({ ...openRouter, GATEWAY_CONFIG: 'taken.json' }, directory);
  expect(filed.vendors['compatible']).toMatchObject({ apiKey: 'other', baseUrl: 'http://a' });
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
