/** `gateway import`: configurations of other gateways, and the ones that they become. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import { runCommand } from '../support/command.ts';

const directory = mkdtempSync(join(tmpdir(), 'gateway-import-'));
afterAll(() => rmSync(directory, { recursive: true }));

const FOREIGN = join(import.meta.dirname, '../../fixtures/foreign');

interface Imported {
  /** As this gateway reads it. */
  readonly config: Config;
  /** What the command printed. */
  readonly text: string;
  readonly notes: string;
}

/** Imports a file, and reads the result with every variable that it names set. */
async function imported(file: string): Promise<Imported> {
  const { stdout, stderr, code } = await runCommand(directory, ['import', resolve(FOREIGN, file)]);
  expect(code).toBe(0);
  const variables = [...stdout.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [
    name,
    name === 'DATABASE_URL'
      ? 'postgres://db/gateway'
      : `the-value-of-${name.toLowerCase().replaceAll('_', '-')}`,
  ]);
  writeFileSync(join(directory, 'gateway.config.json'), stdout);
  const config = await readConfig(Object.fromEntries(variables), directory);
  rmSync(join(directory, 'gateway.config.json'));
  return { config, text: stdout, notes: stderr };
}

describe('a config.yaml of LiteLLM', () => {
  test('becomes a configuration with the same vendors, names, fallbacks and settings', async () => {
    const { config } = await imported('litellm.yaml');
    expect(config).toMatchObject({
      vendors: {
        openai: {
          upstreams: [
            { apiKey: 'the-value-of-openai-api-key', weight: 3 },
            { apiKey: 'the-value-of-openai-key-2', weight: 1 },
          ],
        },
        anthropic: { apiKey: 'the-value-of-anthropic-api-key' },
        google: { apiKey: 'the-value-of-gemini-api-key' },
        ollama: { apiKey: 'none', baseUrl: 'http://localhost:11434/v1' },
        llm: { apiKey: 'the-value-of-acme-key', baseUrl: 'https://llm.acme.example/v1' },
      },
      models: [
        {
          id: 'ollama/llama3.2',
          contextWindow: 131_072,
          maxOutputTokens: 8192,
          prices: { input: 0, output: 0 },
        },
        { id: 'llm/writer-7b', upstream: 'Acme/Writer-7B', prices: { input: 0.2, output: 0.6 } },
      ],
      aliases: {
        'openai/fast': 'anthropic/claude-haiku-4-5',
        'openai/llama': 'ollama/llama3.2',
        'openai/house': 'llm/writer-7b',
        'openai/default': 'anthropic/claude-haiku-4-5',
      },
      fallbacks: {
        'anthropic/claude-haiku-4-5': ['google/gemini-2.5-flash', 'openai/gpt-4o'],
        'openai/gpt-4o': ['anthropic/claude-haiku-4-5'],
        '*': ['openai/gpt-4o'],
      },
      longPromptFallbacks: {
        'openai/gpt-4o': ['anthropic/claude-haiku-4-5'],
        '*': ['openai/gpt-4o'],
      },
      contentPolicyFallbacks: { 'openai/gpt-4o': ['anthropic/claude-haiku-4-5'] },
      retries: { limit: 2 },
      timeouts: { total: 120_000 },
      ejection: { failures: 3, duration: 60_000 },
      redis: { url: 'redis://:the-value-of-redis-password@the-value-of-redis-host:6379' },
      store: { url: 'postgres://db/gateway' },
      admin: { key: 'the-value-of-master-key' },
    });
  });

  test('says what it could not take over, and prints no secret', async () => {
    const { text, notes } = await imported('litellm.yaml');
    expect(text + notes).not.toContain('sk-ant-written-in-the-file');
    for (const note of [
      'Read as a configuration of LiteLLM. To look at:',
      'model_list[2].litellm_params holds a secret itself. The new file reads it from the variable ANTHROPIC_API_KEY: set that.',
      'model_list[3]: fast means anthropic/claude-haiku-4-5 here, and google/gemini-2.5-flash answers only if that cannot',
      'models: ollama/llama3.2 is not in the catalog. Correct its price of input, price of output, which were guessed.',
      'model_list[6].litellm_params: azure was left out.',
      'model_list[7]: embeddings is of the kind embedding, which this gateway does not serve.',
      'litellm_settings.num_retries: 5 became 2, the most there is.',
      'router_settings.context_window_fallbacks[0].gpt-4o: nobody is not in the model list.',
      'router_settings.context_window_fallbacks[2]: other or its fallbacks are not in the model list.',
      'router_settings.default_fallbacks: nobody is not in the model list.',
      'litellm_settings.cache was left out',
      'litellm_settings.success_callback was left out:',
      'general_settings.alerting was left out.',
    ])
      expect(notes).toContain(note);
  });
});

test('one deployment of LiteLLM with a weight, an order, limits and a price', async () => {
  const file = join(directory, 'one.yaml');
  writeFileSync(
    file,
    [
      'model_list:',
      '  - model_name: gpt-4o',
      '    litellm_params: { model: openai/gpt-4o, api_key: os.environ/A, weight: 3, rpm: 100, order: 1 }',
      '    model_info: { input_cost_per_token: 0.000001 }',
      '  - model_name: vectors',
      '    litellm_params: { model: openai/text-embedding-3-small, api_key: os.environ/A }',
    ].join('\n'),
  );
  const { config, text, notes } = await imported(file);
  expect(config.vendors['openai']).toMatchObject({ apiKey: 'the-value-of-a', upstreams: [] });
  expect(text).not.toContain('embedding');
  for (const note of [
    'openai/gpt-4o has the prices of the catalog here. If yours differ, add the model with your prices under models.',
    'model_list[0].litellm_params.rpm was left out: vendors.*.connections bounds what one address is sent at a time.',
    'model_list[0].litellm_params.order was left out: the addresses of a vendor share the load by weight.',
    'model_list[1]: vectors is of the kind embedding, which this gateway does not serve.',
  ])
    expect(notes).toContain(note);
});

test('the time zone of LiteLLM’s budgets, the requests at a time and the Redis of its cache', async () => {
  const file = join(directory, 'operation.yaml');
  writeFileSync(
    file,
    [
      'model_list:',
      '  - model_name: gpt-4o',
      '    litellm_params: { model: openai/gpt-4o, api_key: os.environ/A }',
      'litellm_settings:',
      '  timezone: US/Eastern',
      '  cache: true',
      '  cache_params: { type: redis, host: cache.internal, port: 6380, password: os.environ/A, ssl: true, ttl: 60 }',
      'general_settings: { global_max_parallel_requests: 200 }',
    ].join('\n'),
  );
  const { config, notes } = await imported(file);
  expect(config).toMatchObject({
    usage: { timeZone: 'US/Eastern' },
    redis: { url: 'rediss://:the-value-of-a@cache.internal:6380' },
    limits: { inFlight: 200 },
  });
  expect(notes).not.toContain('timezone');
  for (const note of [
    'litellm_settings.cache was left out: see docs/caching.md: exact matches.',
    'litellm_settings.cache_params.ttl was left out: see docs/caching.md: exact matches.',
  ])
    expect(notes).toContain(note);
});

test('the vendor and the kind of LiteLLM’s models, however they are named', async () => {
  const file = join(directory, 'names.yaml');
  const models = [
    ['plain', 'gpt-4o'],
    ['newer', 'gpt-77-nano'],
    [
      'served',
      'meta-llama/Llama-3.1-8B',
      'custom_llm_provider: hosted_vllm, api_base: "http://vllm:8000/v1"',
    ],
    ['doubled', 'groq/llama-3.3-70b', 'custom_llm_provider: groq'],
    ['picture', 'dall-e-3'],
    ['hearing', 'whisper-1'],
    ['speaking', 'tts-1'],
    ['nameless', 'some-model-of-ours'],
    ['foreign', 'nobody/a-model'],
    ['cheaper', 'groq/llama-3.3-70b'],
  ].map(
    ([name, model, more = '']) =>
      `  - { model_name: ${name}, litellm_params: { model: ${model}, api_key: os.environ/A, ${more} } }`,
  );
  writeFileSync(file, ['model_list:', ...models, '  - model_name: without-params'].join('\n'));
  const { config, notes } = await imported(file);
  expect(config.aliases).toMatchObject({
    'openai/plain': 'openai/gpt-4o',
    'openai/newer': 'openai/gpt-77-nano',
    'openai/served': 'vllm/llama-3.1-8b',
    'openai/doubled': 'groq/llama-3.3-70b',
    'openai/cheaper': 'groq/llama-3.3-70b',
  });
  expect(config.models.map(({ id, upstream }) => [id, upstream])).toEqual([
    ['openai/gpt-77-nano', undefined],
    ['vllm/llama-3.1-8b', 'meta-llama/Llama-3.1-8B'],
    ['groq/llama-3.3-70b', undefined],
  ]);
  for (const note of [
    'model_list[4]: picture is of the kind image_generation, which this gateway does not serve.',
    'model_list[5]: hearing is of the kind audio_transcription, which this gateway does not serve.',
    'model_list[6]: speaking is of the kind audio_speech, which this gateway does not serve.',
    'model_list[7]: the vendor of some-model-of-ours is not known. Write it as <vendor>/<model>.',
    'model_list[8].litellm_params: nobody is not a vendor that this command knows. Add it under vendors by hand.',
  ])
    expect(notes).toContain(note);
});

test.each([
  ['rpm', ['rpm: 480', 'rpm: 120'], [4, 1]],
  ['tpm, which both have', ['tpm: 1000, rpm: 7', 'tpm: 3000'], [1, 3]],
  ['none, since one of them has none', ['rpm: 480', 'tpm: 5'], [1, 1]],
  ['weight, if one has any', ['rpm: 480, weight: 2', 'rpm: 120'], [2, 1]],
])('deployments of LiteLLM share the load by %s', async (_, figures, weights) => {
  const file = join(directory, 'shares.yaml');
  const lines = figures.map(
    (figure, at) =>
      `  - { model_name: gpt-4o, litellm_params: { model: openai/gpt-4o, api_key: os.environ/KEY_${at}, ${figure} } }`,
  );
  writeFileSync(file, ['model_list:', ...lines].join('\n'));
  const { config, notes } = await imported(file);
  expect(config.vendors['openai']?.upstreams.map(({ weight }) => weight)).toEqual(weights);
  const word = /^rpm|^tpm/.exec(_)?.[0];
  if (word === undefined) expect(notes).not.toContain('became the weight');
  else expect(notes).toContain(`model_list[1].litellm_params.${word} became the weight of the address.`);
});

test('a config of Portkey: targets become upstreams and fallbacks', async () => {
  const { config, text, notes } = await imported('portkey.json');
  expect(config).toMatchObject({
    vendors: {
      openai: {
        upstreams: [
          { apiKey: 'the-value-of-openai-api-key', weight: 0.7 },
          { apiKey: 'the-value-of-openai-api-key-2', weight: 0.3 },
        ],
      },
      anthropic: { apiKey: 'the-value-of-anthropic-api-key' },
    },
    fallbacks: { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5'] },
    retries: { limit: 2 },
    timeouts: { total: 30_000 },
  });
  expect(text + notes).not.toContain('sk-in-the-file');
  for (const note of [
    'targets[0].targets[0].provider: @openai-prod was taken for openai. Its key is not in the file.',
    'targets[2].provider: the vendor behind @our-team is not known. Add it under vendors by hand.',
    'targets[1].override_params.max_tokens was left out.',
    'cache was left out',
    'input_guardrails was left out',
  ])
    expect(notes).toContain(note);
});

test.each<[strategy: string, targets: object[], fallbacks: object, note: string]>([
  [
    'loadbalance',
    [
      { provider: 'openai', api_key: 'a-key', override_params: { model: 'gpt-4o' } },
      { provider: 'anthropic', api_key: 'b-key', override_params: { model: 'claude-sonnet-4-5' } },
    ],
    { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5'] },
    'strategy: load is shared between addresses of one vendor alone. openai/gpt-4o answers, and anthropic/claude-sonnet-4-5 if it cannot.',
  ],
  [
    'fallback',
    [
      { provider: 'openai', api_key: 'a-key' },
      { provider: 'anthropic', api_key: 'b-key' },
    ],
    {},
    'strategy: fallbacks are between models here, and these targets name none. Add them under fallbacks by model.',
  ],
  [
    'conditional',
    [
      { name: 'one', provider: 'openai', api_key: 'a-key' },
      { name: 'two', provider: 'anthropic', api_key: 'b-key' },
    ],
    {},
    'strategy: conditions were left out. The caller names the model.',
  ],
])('a strategy of Portkey: %s', async (mode, targets, fallbacks, note) => {
  const file = join(directory, 'strategy.json');
  const conditions =
    mode === 'conditional' ? { conditions: [{ query: { 'metadata.tier': 'paid' } }], default: 'two' } : {};
  writeFileSync(file, JSON.stringify({ strategy: { mode, ...conditions }, targets: [...targets, {}] }));
  const { config, notes } = await imported(file);
  expect(Object.keys(config.vendors).toSorted()).toEqual(expect.arrayContaining(['anthropic', 'openai']));
  expect(config.fallbacks).toEqual(fallbacks);
  expect(notes).toContain(note);
});

test('a config.json of Bifrost: providers, keys, teams and limits', async () => {
  const { config, notes } = await imported('bifrost.json');
  expect(config).toMatchObject({
    vendors: {
      openai: {
        upstreams: [{ weight: 0.7 }, { apiKey: 'the-value-of-openai-key-2', weight: 0.3 }],
        headers: { 'OpenAI-Organization': 'org-acme' },
        connections: 200,
      },
      groq: { apiKey: 'the-value-of-groq-api-key', baseUrl: 'https://api.groq.com/openai/v1' },
      llm: { apiKey: 'the-value-of-acme-key', baseUrl: 'https://llm.acme.example/v1' },
    },
    models: [{ id: 'groq/llama-3.3-70b-versatile' }],
    timeouts: { total: 60_000 },
    retries: { limit: 2 },
    limits: { bodyBytes: 50 * 1024 * 1024 },
    cors: { origins: ['https://chat.acme.example'] },
    groups: [{ name: 'search', limits: { budgetMonth: 500 } }],
    keys: [
      {
        name: 'search-prod',
        key: 'the-value-of-vk-search',
        group: 'search',
        models: ['openai/gpt-4o'],
        limits: { requestsPerMinute: 60, tokensPerMinute: 90_000 },
      },
      { name: 'batches', models: ['groq/*', 'llm/*'], limits: { budgetWeek: 50 } },
      { name: 'anything', limits: { budgetDay: 5 } },
    ],
    aliases: { 'openai/our-model': 'openai/gpt-4o' },
  });
  expect(config.keys.map(({ models }) => models)).toEqual([
    ['openai/gpt-4o'],
    ['groq/*', 'llm/*'],
    undefined,
  ]);
  for (const note of [
    'providers.openai.network_config.max_retries: 3 became 2, the most there is.',
    'providers.azure.keys[0]: azure was left out.',
    'governance.budgets[3]: a budget for 1Y was left out.',
    'governance.rate_limits[1]: a limit of requests for 1h was left out: limits are by the minute here.',
    'governance.virtual_keys[3]: the key cloud-only was left out, as were all vendors that it may use.',
    'governance.virtual_keys[1]: the key old is not active and was left out.',
    'plugins was left out.',
    'config_store was left out: the store is set by DATABASE_URL.',
  ])
    expect(notes).toContain(note);
});

test('the file is written if asked for, and never over another one', async () => {
  const words = ['import', join(FOREIGN, 'portkey.json'), '--write', 'new.json'];
  const first = await runCommand(directory, words);
  expect(first).toMatchObject({ code: 0, stdout: '' });
  expect(first.stderr).toMatch(/^To check the new file: gateway check new\.json$/m);
  expect(JSON.parse(readFileSync(join(directory, 'new.json'), 'utf8'))).toHaveProperty('fallbacks');
  expect(await runCommand(directory, words)).toMatchObject({
    code: 1,
    stderr: 'new.json already exists. Use --force to overwrite it.\n',
  });
  expect(await runCommand(directory, [...words, '--force'])).toMatchObject({ code: 0 });
});

test('a file of no other gateway is refused, and the start names this command for one', async () => {
  writeFileSync(join(directory, 'own.json'), '{"port": 1}');
  expect(await runCommand(directory, ['import', 'own.json'])).toMatchObject({
    code: 1,
    stderr: 'own.json is not a configuration of LiteLLM, Portkey or Bifrost.\n',
  });
  const start = await runCommand(directory, ['start', '--config', join(FOREIGN, 'bifrost.json')]);
  expect(start.code).toBe(78);
  expect(start.stderr).toMatch(
    /bifrost\.json is a configuration of Bifrost\. To turn it into one of this gateway \(docs\/coming-from\.md\): gateway import \S+bifrost\.json\n/,
  );
});
