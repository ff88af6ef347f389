/** What a configuration may not say, since it would open, send or count something else than it seems to: each by its field. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/load.ts';

const directory = mkdtempSync(join(tmpdir(), 'gateway-refused-'));
afterAll(() => rmSync(directory, { recursive: true }));

const KEY = 'a-key-of-the-team';
const HASH = 'a'.repeat(64);
const MODEL = {
  id: 'house/one',
  name: 'One',
  created: 0,
  contextWindow: 1_000,
  maxOutputTokens: 100,
  prices: { input: 1, output: 2 },
};
const key = (said: object) => ({ keys: [{ name: 'team', ...said }] });
const vendor = (said: object) => ({ vendors: { openai: { apiKey: 'k', ...said } } });
const model = (said: object) => ({ models: [{ ...MODEL, ...said }] });
const prices = (said: object) => model({ prices: { ...MODEL.prices, ...said } });

test.each<[object, RegExp]>([
  [key({}), /keys\.0: needs either key or hash/],
  [key({ key: KEY, hash: HASH }), /keys\.0: needs either key or hash/],
  [key({ key: 'short' }), /keys\.0\.key: /],
  [key({ key: 'a key with spaces' }), /keys\.0\.key: must be printable ASCII without spaces/],
  [key({ hash: HASH.toUpperCase() }), /keys\.0\.hash: must be a SHA-256 hash: 64 lower-case hex digits/],
  [key({ hash: KEY }), /keys\.0\.hash: /],
  [key({ key: KEY, models: ['gpt-4.1'] }), /keys\.0\.models\.0: must be <vendor>/],
  [key({ key: KEY, model: ['openai/*'] }), /keys\.0: .*model/],
  [key({ key: KEY, expires: '2027-01-31' }), /keys\.0\.expires: /],
  [key({ key: KEY, limits: { budgetDay: -1 } }), /keys\.0\.limits\.budgetDay: /],
  [key({ key: KEY, limits: { budget: 1 } }), /keys\.0\.limits: .*budget/],
  [key({ key: KEY, limits: { requestsPerMinute: 0 } }), /keys\.0\.limits\.requestsPerMinute: /],
  [{ admin: { key: 'fifteen-letters' } }, /admin\.key: must have at least 16 characters/],
  [{ redis: { url: 'redis://:100%@localhost' } }, /redis\.url: must have special characters .* as %40/],
  [{ proxy: { url: 'me:100%@localhost:8080' } }, /proxy\.url: must have special characters .* as %40/],
  [{ redis: { url: 'http://localhost' } }, /redis\.url: must be redis:\/\//],
  [vendor({ apiKey: 'k\r\nx: y' }), /vendors\.openai\.apiKey: must be printable ASCII/],
  [vendor({ apiKey: '' }), /vendors\.openai\.apiKey: /],
  [vendor({ headers: { 'x y': 'z' } }), /vendors\.openai\.headers/],
  [vendor({ headers: { x: 'y\nz: 1' } }), /vendors\.openai\.headers\.x: must be printable ASCII/],
  [vendor({ baseUrl: 'http://169.254.169.254/v1' }), /vendors\.openai\.baseUrl: must not be a link-local/],
  [vendor({ baseUrl: 'http://[fe80::1]/v1' }), /vendors\.openai\.baseUrl: must not be a link-local/],
  [vendor({ baseUrl: 'file:///etc/passwd' }), /vendors\.openai\.baseUrl: /],
  [vendor({ upstreams: [{ apiKey: 'k', baseUrl: 'http://169.254.169.254' }] }), /upstreams\.0\.baseUrl: /],
  [{ models: [MODEL, { ...MODEL, name: 'Two' }] }, /models: house\/one is listed more than once/],
  [model({ id: 'House/one' }), /models\.0\.id: must be <vendor>\/<model_name> in lower case/],
  [model({ id: 'one' }), /models\.0\.id: /],
  [prices({ input: -1 }), /models\.0\.prices\.input: /],
  [prices({ output: null }), /models\.0\.prices\.output: /],
  [prices({ tiers: { cheap: 0.5 } }), /models\.0\.prices\.tiers/],
  [{ aliases: { fast: 'openai/gpt-4.1' } }, /aliases\.fast: the alias must be <vendor>\/<model_name>/],
  [{ limits: { memory: 85 } }, /limits\.memory: /],
  [{ timeouts: { total: '5s' } }, /timeouts\.total: /],
  [{ budgets: {} }, /budgets/],
])('%j', async (config, said) => {
  writeFileSync(join(directory, 'gateway.config.json'), JSON.stringify(config));
  await expect(readConfig({}, directory)).rejects.toThrow(said);
});
