/** The configuration of vendors' upstreams, and of fallback models. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/load.ts';
import { type ConfigInput, configSchema } from '../../src/config/schema.ts';
import { configuredVendors, publicHosts } from '../../src/config/vendors.ts';

const directory = mkdtempSync(join(tmpdir(), 'gateway-config-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Reads a configuration file that contains `input`. */
function read(input: ConfigInput): Promise<unknown> {
  writeFileSync(join(directory, 'gateway.config.json'), JSON.stringify(input));
  return readConfig({}, directory);
}

describe.each(['fallbacks', 'longPromptFallbacks', 'contentPolicyFallbacks'] as const)('%s', (field) => {
  test.each([
    { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5', 'OpenAI/GPT-4o-mini'] },
    { 'openai/gpt-4o': [] },
    { '*': ['openai/gpt-4o'], 'Anthropic/*': ['openai/gpt-4o'] },
  ])('%j is accepted', async (lists) => {
    await expect(read({ [field]: lists })).resolves.toMatchObject({ [field]: lists });
  });

  test.each([
    [
      { 'openai/gpt-4o': ['openai/gpt-4oo'] },
      `${field}.openai/gpt-4o: the catalog has no model openai/gpt-4oo`,
    ],
    [{ 'openai/nope': ['openai/gpt-4o'] }, `${field}.openai/nope: the catalog has no model openai/nope`],
    [{ 'openai/gpt-4o': ['gpt-4o'] }, `${field}.openai/gpt-4o.0: must be <vendor>/<model_name>`],
    [{ '*': ['openai/nope'] }, `${field}.*: the catalog has no model openai/nope`],
    [{ 'openai/gpt-4o': ['openai/*'] }, `${field}.openai/gpt-4o: the catalog has no model openai/*`],
    [
      { 'antropic/*': ['openai/gpt-4o'] },
      `${field}.antropic/*: the catalog has no model of antropic. Did you mean anthropic/*?`,
    ],
    [{ 'openai/gpt-*': [] }, `${field}.openai/gpt-*: the catalog has no model openai/gpt-*`],
    [{ '**': [] }, `${field}.**: must be <vendor>/<model_name>, <vendor>/* or *`],
  ])('%j is rejected, by name', async (lists, message) => {
    await expect(read({ [field]: lists })).rejects.toThrow(message);
  });
});

describe('upstreams', () => {
  const vendorsOf = (vendors: ConfigInput['vendors']) =>
    configuredVendors(configSchema.parse({ vendors })).all;

  test('a vendor may be configured without upstreams, as before', () => {
    const [vendor] = vendorsOf({ openai: { apiKey: 'a' } });
    expect(vendor?.upstreams).toBeUndefined();
    const [only] = vendorsOf({ openai: { upstreams: [{ apiKey: 'b' }] } });
    expect(only?.upstreams).toBeUndefined();
    expect(only).toMatchObject({ key: 'b', origin: 'https://api.openai.com', basePath: '/v1' });
  });

  test.each([
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://eu.openrouter.ai/api/v1', 'openrouter'],
    ['https://notopenrouter.ai/api/v1', undefined],
  ])('requests to %s use the dialect %s', (baseUrl, dialect) => {
    const config = configSchema.parse({ vendors: { compatible: { apiKey: 'a', baseUrl } } });
    expect(configuredVendors(config).serving({ id: 'qwen/qwen3-max' })?.dialect).toBe(dialect);
  });

  test('a list of upstreams is complete, the vendor’s own first; each at its own address, or the vendor’s', () => {
    const [vendor] = vendorsOf({
      openai: {
        apiKey: 'a',
        upstreams: [
          { apiKey: 'b', weight: 2 },
          { apiKey: 'c', baseUrl: 'http://x:1/y/' },
        ],
      },
    });
    expect(vendor?.upstreams).toEqual([
      { origin: 'https://api.openai.com', basePath: '/v1', key: 'a', weight: 1 },
      { origin: 'https://api.openai.com', basePath: '/v1', key: 'b', weight: 2 },
      { origin: 'http://x:1', basePath: '/y', key: 'c', weight: 1 },
    ]);
  });

  test('an upstream without an address, of a vendor without one, is rejected', () => {
    expect(vendorsOf({ elsewhere: { upstreams: [{ apiKey: 'a' }] } })).toEqual([]);
  });

  test.each([
    { upstreams: [{ baseUrl: 'https://x' }] },
    { upstreams: [{ apiKey: '' }] },
    { upstreams: [{ apiKey: 'a', weight: 0 }] },
    { upstreams: [{ apiKey: 'a\r\nb: c' }] },
    { upstreams: [{ apiKey: 'a', baseUrl: 'file:///etc/passwd' }] },
    { connections: 0 },
  ])('%j is rejected', (openai) => {
    expect(configSchema.safeParse({ vendors: { openai } }).success).toBe(false);
  });
});

describe('names', () => {
  test.each<ConfigInput['vendors']>([
    { openai: { apiKey: 'a', names: { 'gpt-4o': 'x', 'openai/gpt-4.1': 'y', '*': 'z-*' } } },
    { compatible: { apiKey: 'a', baseUrl: 'http://x', names: { 'qwen/qwen3-max': 'qwen' } } },
    { anthropic: { upstreams: [{ apiKey: 'a', names: { 'claude-haiku-4-5': 'x' } }] } },
  ])('%j is accepted', async (vendors) => {
    await expect(read({ vendors })).resolves.toBeDefined();
  });

  test.each<[NonNullable<ConfigInput['vendors']>, string]>([
    [
      { openai: { apiKey: 'a', names: { 'gpt-4oo': 'x' } } },
      'vendors.openai.names.gpt-4oo: the catalog has no model openai/gpt-4oo',
    ],
    [
      { openai: { apiKey: 'a', names: { 'GPT-4o': 'x' } } },
      'vendors.openai.names.GPT-4o: the catalog has no model openai/GPT-4o',
    ],
    [
      { openai: { upstreams: [{ apiKey: 'a', names: { nope: 'x' } }] } },
      'vendors.openai.upstreams.0.names.nope: the catalog has no model openai/nope',
    ],
    [{ openai: { apiKey: 'a', names: { 'gpt-4o': '' } } }, 'vendors.openai.names.gpt-4o'],
  ])('%j is rejected, by name', async (vendors, message) => {
    await expect(read({ vendors })).rejects.toThrow(message);
  });
});

test('hosts are public unless the configuration says otherwise', () => {
  const hosts = (vendors: ConfigInput['vendors']) => [...publicHosts(configSchema.parse({ vendors }))].sort();
  const all = hosts({});
  expect(all).toContain('api.openai.com');
  expect(all).toContain('api.mistral.ai');
  const others = all.filter((host) => host !== 'api.openai.com');
  expect(hosts({ openai: { baseUrl: 'https://proxy.internal/v1' } })).toEqual(others);
});

test('a key that the environment gives the vendor too counts once', () => {
  const upstreams = [{ apiKey: 'a', weight: 3 }, { apiKey: 'b' }];
  const vendors = configuredVendors(configSchema.parse({ vendors: { openai: { apiKey: 'a', upstreams } } }));
  expect(vendors.all[0]?.upstreams?.map(({ key, weight }) => [key, weight])).toEqual([
    ['a', 3],
    ['b', 1],
  ]);
  const elsewhere = [{ apiKey: 'a', baseUrl: 'https://eu.api.openai.com/v1' }];
  const both = configSchema.parse({ vendors: { openai: { apiKey: 'a', upstreams: elsewhere } } });
  expect(configuredVendors(both).all[0]?.upstreams).toHaveLength(2);
});
