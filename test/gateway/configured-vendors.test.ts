/** Requests to a vendor follow the vendor's configuration. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { json, type Received, startUpstream, type TestUpstream } from '../support/upstream.ts';

let upstream: TestUpstream;
let gateway: TestGateway | undefined;

beforeAll(async () => {
  upstream = await startUpstream((_, response) => json(response, {}));
});
afterAll(() => upstream.close());
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

type VendorInput = NonNullable<ConfigInput['vendors']>[string];

/** What a vendor with this configuration receives for one request. */
async function sentTo(
  name: string,
  settings: VendorInput,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  upstream.received.length = 0;
  const vendors = { [name]: { baseUrl: `${upstream.url}/v1`, apiKey: 'vendor-key', ...settings } };
  gateway = await startGateway({ vendors, countTokens: { models: 'all' }, retries: { limit: 0 } });
  const answer = await postJson(gateway.url + path, body, { headers });
  const text = await answer.text();
  const [received] = upstream.received;
  if (received === undefined) throw new Error(`The vendor was not asked: ${text}`);
  return received;
}

const messages = [{ role: 'user', content: 'Hi' }];
const chat = '/v1/chat/completions';

/** Written as their vendors write them. */
const headers = {
  'X-Title': 'Ours',
  'OpenAI-Beta': 'ours',
  'User-Agent': 'ours',
  Authorization: 'Bearer other',
};

test.each([
  ['native', chat],
  ['translated', '/v1/messages'],
])('%s: its headers replace the caller’s, except those that carry credentials', async (_, path) => {
  const body = { model: 'openai/gpt-4o', max_tokens: 9, messages };
  const sent = await sentTo('openai', { headers }, path, body, { 'openai-beta': 'theirs' });
  expect(sent.headers).toMatchObject({
    'x-title': 'Ours',
    'openai-beta': 'ours',
    'user-agent': 'ours',
    authorization: 'Bearer vendor-key',
  });
});

test.each(['authorization', 'x-api-key', 'x-goog-api-key'] as const)(
  'its key is in %s alone',
  async (auth) => {
    const sent = await sentTo('deepseek', { auth }, chat, { model: 'deepseek/deepseek-v4-flash', messages });
    const { authorization, 'x-api-key': api, 'x-goog-api-key': goog } = sent.headers;
    const bearer = auth === 'authorization';
    expect({ authorization, 'x-api-key': api, 'x-goog-api-key': goog }).toEqual({
      authorization: undefined,
      'x-api-key': undefined,
      'x-goog-api-key': undefined,
      [auth]: bearer ? 'Bearer vendor-key' : 'vendor-key',
    });
  },
);

test.each<[string, string, string, object]>([
  ['google', 'x-goog-api-key', '/v1beta/models/gemini-2.5-flash:generateContent', { contents: [] }],
  ['anthropic', 'x-api-key', '/v1/messages', { model: 'claude-sonnet-4-5', max_tokens: 9, messages }],
])(
  '%s, whose own key is in Authorization: the caller’s in %s is not forwarded',
  async (name, carrier, path, body) => {
    const sent = await sentTo(name, { auth: 'authorization' }, path, body, { [carrier]: KEY });
    expect(sent.headers.authorization).toBe('Bearer vendor-key');
    expect(JSON.stringify(sent.headers)).not.toContain(KEY);
  },
);

test('its formats: its own are native, others are translated to the first', async () => {
  const baseUrl = upstream.url;
  const body = { model: 'deepseek/deepseek-v4-flash', max_tokens: 9, messages };
  const own = { ...body, model: 'deepseek-v4-flash' };
  const both = await sentTo(
    'deepseek',
    { baseUrl, formats: ['chat-completions', 'messages'] },
    '/v1/messages',
    body,
  );
  expect([both.url, JSON.parse(both.body.toString())]).toEqual(['/v1/messages', own]);
  await gateway?.close();
  const one = await sentTo('deepseek', { baseUrl, formats: ['messages'] }, chat, body);
  expect(one.url).toBe('/v1/messages');
});

test.each([true, false])('Gemini at a service that speaks another format, streamed: %s', async (stream) => {
  const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
  const path = `/v1beta/models/gemini-2.5-flash:${method}`;
  const sent = await sentTo('google', { formats: ['chat-completions'] }, path, { contents });
  expect(sent.url).toBe(chat);
  expect(JSON.parse(sent.body.toString()).stream ?? false).toBe(stream);
});

test('an address that ends with the version, as some SDKs want it: no path repeats the version', async () => {
  const both: VendorInput = { formats: ['chat-completions', 'messages'] };
  const body = { model: 'deepseek/deepseek-v4-flash', max_tokens: 9, messages };
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
  const gemini = '/v1beta/models/gemini-2.5-flash:generateContent';
  const cases: readonly (readonly [string, VendorInput, string, object, string])[] = [
    ['deepseek', both, chat, body, '/v1/chat/completions'],
    ['deepseek', both, '/v1/messages', body, '/v1/messages'],
    ['anthropic', {}, chat, { ...body, model: 'anthropic/claude-sonnet-4-5' }, '/v1/messages'],
    ['google', { baseUrl: `${upstream.url}/api/v1beta` }, gemini, { contents }, `/api${gemini}`],
    [
      'google',
      { baseUrl: `${upstream.url}/v1beta` },
      chat,
      { ...body, model: 'google/gemini-2.5-flash' },
      gemini,
    ],
    [
      'anthropic',
      { baseUrl: `${upstream.url}/av1` },
      '/v1/messages',
      { ...body, model: 'claude-sonnet-4-5' },
      '/av1/v1/messages',
    ],
  ];
  for (const [vendor, settings, path, asked, reached] of cases) {
    const sent = await sentTo(vendor, settings, path, asked);
    expect(sent.url).toBe(reached);
    await gateway?.close();
  }
});

test.each([
  [true, 'deepseek/deepseek-v4-flash'],
  [false, 'deepseek-v4-flash'],
])('fullIds %s: %s, native and translated', async (fullIds, name) => {
  const body = { model: 'DeepSeek/deepseek-v4-flash', max_tokens: 9, messages };
  for (const path of [chat, '/v1/messages']) {
    const sent = await sentTo('deepseek', { fullIds }, path, body);
    expect(JSON.parse(sent.body.toString()).model).toBe(name);
    await gateway?.close();
  }
});

test('its dialect', async () => {
  const body = {
    model: 'qwen/qwen3-max',
    max_tokens: 9_000,
    messages,
    thinking: { type: 'enabled', budget_tokens: 2_000 },
  };
  const sent = await sentTo('qwen', { dialect: 'openrouter' }, '/v1/messages', body);
  expect(JSON.parse(sent.body.toString())).toMatchObject({ reasoning: { max_tokens: 2_000 } });
});

test("the dialect of a model's own vendor, if it is that vendor itself", async () => {
  const body = { model: 'qwen/qwen3.8-max', max_tokens: 9_000, messages, thinking: { type: 'disabled' } };
  const sent = await sentTo('qwen', {}, '/v1/messages', body);
  expect(JSON.parse(sent.body.toString())).toMatchObject({ model: 'qwen3.8-max', enable_thinking: false });
});

test.each<[string, string, Record<string, string>, string, object, string]>([
  [
    'one',
    'anthropic',
    { 'claude-sonnet-4-5': 'ours' },
    '/v1/messages',
    { model: 'claude-sonnet-4-5' },
    'ours',
  ],
  [
    'a dated one',
    'anthropic',
    { 'claude-sonnet-4-5': 'ours' },
    chat,
    { model: 'anthropic/claude-sonnet-4-5-20250929' },
    'ours',
  ],
  [
    'another',
    'anthropic',
    { 'claude-sonnet-4-5': 'ours' },
    chat,
    { model: 'anthropic/claude-haiku-4-5' },
    'claude-haiku-4-5',
  ],
  ['by its full id', 'openai', { 'openai/gpt-4o': 'our-gpt' }, chat, { model: 'gpt-4o' }, 'our-gpt'],
  [
    'all',
    'anthropic',
    { '*': 'us.anthropic.*' },
    '/v1/messages',
    { model: 'claude-haiku-4-5' },
    'us.anthropic.claude-haiku-4-5',
  ],
  [
    'all others',
    'openai',
    { 'gpt-4o': 'ours', '*': '$&-*' },
    '/v1/responses',
    { model: 'gpt-4.1', input: 'Hi' },
    '$&-gpt-4.1',
  ],
])('its model names: %s', async (_, name, names, path, asked, called) => {
  const sent = await sentTo(name, { names }, path, { max_tokens: 9, messages, ...asked });
  expect(JSON.parse(sent.body.toString()).model).toBe(called);
});

test('its model names: in the path of Gemini, native and translated', async () => {
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
  const settings: VendorInput = { baseUrl: upstream.url, names: { '*': 'our-*' } };
  const own = await sentTo('google', settings, '/v1beta/models/gemini-2.5-flash:generateContent', {
    contents,
  });
  await gateway?.close();
  const other = await sentTo('google', settings, chat, { model: 'google/gemini-2.5-flash', messages });
  expect([own.url, other.url]).toEqual(Array(2).fill('/v1beta/models/our-gemini-2.5-flash:generateContent'));
});

test('Gemini at Vertex AI: the version precedes the publisher', async () => {
  const base = '/v1/projects/ours/locations/global/publishers/google';
  const settings: VendorInput = { baseUrl: `${upstream.url}${base}/`, auth: 'authorization' };
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
  for (const [path, body, reached] of [
    [
      '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      { contents },
      'streamGenerateContent?alt=sse',
    ],
    [chat, { model: 'google/gemini-2.5-flash', messages }, 'generateContent'],
    ['/v1beta/models/gemini-2.5-flash:countTokens', { contents }, 'countTokens'],
  ] as const) {
    const sent = await sentTo('google', settings, path, body);
    expect(sent.url).toBe(`${base}/models/gemini-2.5-flash:${reached}`);
    expect(sent.headers.authorization).toBe('Bearer vendor-key');
    await gateway?.close();
  }
});

describe('Gemini at Vertex AI gets requests in its own terms', () => {
  const settings = (): VendorInput => ({
    baseUrl: `${upstream.url}/v1/projects/ours/locations/global/publishers/google`,
    auth: 'authorization',
  });
  const model = 'google/gemini-3.5-flash';

  test('functions together with a search are sent without the permission field, which it does not have', async () => {
    const tools = [
      { type: 'web_search' },
      { type: 'function', name: 'look', parameters: { type: 'object' } },
    ];
    const asked = { model, input: 'Hi', tools };
    const there = JSON.parse((await sentTo('google', settings(), '/v1/responses', asked)).body.toString());
    await gateway?.close();
    const here = JSON.parse((await sentTo('google', {}, '/v1/responses', asked)).body.toString());
    expect(there.tools).toEqual(here.tools);
    expect(there).not.toHaveProperty('toolConfig');
    expect(here.toolConfig).toEqual({ includeServerSideToolInvocations: true });
  });

  test.each([
    ['https://example.com/cat', 'image/jpeg'],
    ['https://example.com/cat.png?size=1', 'image/png'],
  ])('checklist 251: the type of an image at an address: %s', async (url, mimeType) => {
    const asked = {
      model,
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    };
    const there = JSON.parse((await sentTo('google', settings(), chat, asked)).body.toString());
    expect(there.contents[0].parts).toEqual([{ fileData: { mimeType, fileUri: url } }]);
  });

  test.each([
    ['flex', 'flex'],
    ['fast', 'priority'],
    ['default', undefined],
  ])('the tier %s is in a header', async (service_tier, told) => {
    const sent = await sentTo('google', settings(), chat, { model, messages, service_tier });
    expect(JSON.parse(sent.body.toString())).not.toHaveProperty('serviceTier');
    expect(sent.headers['x-vertex-ai-llm-shared-request-type']).toBe(told);
  });

  test('tokens are counted for a request itself', async () => {
    const sent = await sentTo('google', settings(), '/v1/messages/count_tokens', {
      model,
      system: 'Be brief.',
      messages,
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any' },
    });
    expect(JSON.parse(sent.body.toString())).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [expect.objectContaining({ name: 'look' })] }],
    });
  });
});

test('one of several upstreams may have its own model names and its own key header', async () => {
  const vendors: ConfigInput['vendors'] = {
    anthropic: {
      baseUrl: `${upstream.url}/itself`,
      apiKey: 'one',
      upstreams: [
        {
          baseUrl: `${upstream.url}/cloud`,
          apiKey: 'two',
          auth: 'authorization',
          names: { '*': 'anthropic.*' },
        },
      ],
    },
  };
  gateway = await startGateway({ vendors, retries: { limit: 0 } });
  for (const [path, asked] of [
    ['/v1/messages', { model: 'claude-haiku-4-5', max_tokens: 9 }],
    [chat, { model: 'anthropic/claude-haiku-4-5' }],
  ] as const) {
    upstream.received.length = 0;
    for (let at = 0; at < 2; at += 1) {
      const answer = await postJson(gateway.url + path, { ...asked, messages });
      await answer.text();
    }
    const told = upstream.received.map(({ url, headers, body }) => [
      url,
      headers.authorization ?? headers['x-api-key'],
      JSON.parse(body.toString()).model,
    ]);
    expect(told.sort()).toEqual([
      ['/cloud/v1/messages', 'Bearer two', 'anthropic.claude-haiku-4-5'],
      ['/itself/v1/messages', 'one', 'claude-haiku-4-5'],
    ]);
  }
});

/** A dialogue in which a tool was called this many times. */
function rounds(times: number): object[] {
  const called = Array.from({ length: times }, (_, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `call_${at}`, type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: `call_${at}`, content: 'Done.' },
  ]);
  return [...messages, ...called.flat()];
}

test.each<[VendorInput['caching'], string, object, object]>([
  ['always', chat, { messages }, { cache_control: { type: 'ephemeral' } }],
  ['always', '/v1/responses', { input: 'Hi' }, { cache_control: { type: 'ephemeral' } }],
  ['asked', chat, { messages }, {}],
  [undefined, chat, { messages }, {}],
  ['agents', chat, { messages }, {}],
  ['agents', chat, { messages: rounds(1) }, {}],
  ['agents', chat, { messages: rounds(2) }, { cache_control: { type: 'ephemeral' } }],
  // This is a cloud.
  [undefined, chat, { messages: rounds(2) }, {}],
  // Marked content stays unchanged, and so do Claude's own fields.
  [
    'always',
    chat,
    {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] },
      ],
    },
    {},
  ],
  ['always', '/v1/messages', { max_tokens: 9, messages }, {}],
])('whether Claude caches what its caller does not mark: %s, %s', async (caching, path, asked, marked) => {
  const settings: VendorInput = { ...(caching && { caching }) };
  const sent = await sentTo('anthropic', settings, path, { model: 'anthropic/claude-haiku-4-5', ...asked });
  const { cache_control } = JSON.parse(sent.body.toString());
  expect({ ...(cache_control && { cache_control }) }).toEqual(marked);
});

const CLAUDE_AT_VERTEX = '/v1/projects/ours/locations/global/publishers/anthropic';
const VERSION = { anthropic_version: 'vertex-2023-10-16' };
const haiku = { model: 'anthropic/claude-haiku-4-5', max_tokens: 9, messages };
const atVertex = (): VendorInput => ({
  baseUrl: `${upstream.url}${CLAUDE_AT_VERTEX}`,
  auth: 'authorization',
  names: { '*': '*@20251001' },
});

test.each<[string, string, object, string]>([
  ['native', '/v1/messages', haiku, 'claude-haiku-4-5@20251001:rawPredict'],
  [
    'native, streamed',
    '/v1/messages?beta=true',
    { ...haiku, stream: true },
    'claude-haiku-4-5@20251001:streamRawPredict',
  ],
  [
    'native, not streamed',
    '/v1/messages',
    { stream: false, ...haiku },
    'claude-haiku-4-5@20251001:rawPredict',
  ],
  ['translated', chat, haiku, 'claude-haiku-4-5@20251001:rawPredict'],
  ['translated, streamed', chat, { ...haiku, stream: true }, 'claude-haiku-4-5@20251001:streamRawPredict'],
])(
  'Claude at Vertex AI, %s: model and method in the path, the version in the body',
  async (_, path, body, reached) => {
    const sent = await sentTo('anthropic', atVertex(), path, body, { 'anthropic-beta': 'one' });
    expect(sent.url).toBe(`${CLAUDE_AT_VERTEX}/models/${reached}`);
    expect(sent.headers.authorization).toBe('Bearer vendor-key');
    const { model: _model, ...rest } = body as typeof haiku;
    const asked = JSON.parse(sent.body.toString());
    if (path === chat) {
      expect(asked).toMatchObject({ ...VERSION, max_tokens: 9 });
      expect(asked).not.toHaveProperty('model');
    } else {
      expect(asked).toEqual({ ...VERSION, ...rest });
      expect(sent.headers['anthropic-beta']).toBe('one');
    }
  },
);

test('Claude at Vertex AI: nothing else in a native body changes, however the field is written', async () => {
  const url = `/v1/messages`;
  for (const [written, sent] of [
    [
      '{ "max_tokens" : 9,\n "mod\\u0065l" :\t"claude-haiku-4-5" , "x": 1e2}',
      '{ "max_tokens" : 9,\n "anthropic_version":"vertex-2023-10-16" , "x": 1e2}',
    ],
    [
      '{"model":"claude-haiku-4-5","max_tokens":9}',
      '{"anthropic_version":"vertex-2023-10-16","max_tokens":9}',
    ],
  ] as const) {
    upstream.received.length = 0;
    gateway = await startGateway({ vendors: { anthropic: { apiKey: 'k', ...atVertex() } } });
    const answer = await postJson(gateway.url + url, written);
    await answer.text();
    expect(upstream.received[0]?.body.toString()).toBe(sent);
    await gateway.close();
  }
});

test('Claude at Vertex AI: the version that the caller sends goes into the body', async () => {
  for (const [said, told] of [
    ['2023-06-01', VERSION.anthropic_version],
    ['2026-10-21', '2026-10-21'],
  ] as const) {
    const sent = await sentTo('anthropic', atVertex(), '/v1/messages', haiku, { 'anthropic-version': said });
    expect(JSON.parse(sent.body.toString()).anthropic_version).toBe(told);
    await gateway?.close();
  }
});

test('Claude at Vertex AI: tokens are counted', async () => {
  const sent = await sentTo('anthropic', atVertex(), '/v1/messages/count_tokens', {
    model: 'claude-haiku-4-5',
    messages,
  });
  expect(sent.url).toBe(`${CLAUDE_AT_VERTEX}/models/count-tokens:rawPredict`);
  expect(JSON.parse(sent.body.toString())).toEqual({
    ...VERSION,
    model: 'claude-haiku-4-5@20251001',
    messages,
  });
  await gateway?.close();
  const other = await sentTo('anthropic', atVertex(), '/v1/responses/input_tokens', {
    model: 'anthropic/claude-haiku-4-5',
    input: 'Hi',
  });
  expect(JSON.parse(other.body.toString())).toMatchObject({ ...VERSION, model: 'claude-haiku-4-5@20251001' });
});

test('Claude at Vertex AI: a version already in the body is refused, as Anthropic refuses it', async () => {
  gateway = await startGateway({ vendors: { anthropic: { apiKey: 'k', ...atVertex() } } });
  for (const path of ['/v1/messages', '/v1/chat/completions']) {
    const answer = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...haiku, ...VERSION }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: 'anthropic_version: Extra inputs are not permitted' },
    });
  }
});

test('Claude at Vertex AI: betas that it refuses for a count are still sent with generations, and elsewhere', async () => {
  const beta = 'web-search-2025-03-05';
  const message = `Unexpected value(s) \`${beta}\` for the \`anthropic-beta\` header.`;
  const strict = await startUpstream(({ url, headers: { 'anthropic-beta': told } }, response) => {
    const isRefused = told !== undefined && url.endsWith('count-tokens:rawPredict');
    const error = { type: 'error', error: { type: 'invalid_request_error', message } };
    json(response, isRefused ? error : { input_tokens: 5 }, isRefused ? 400 : 200);
  });
  const own = { baseUrl: `${strict.url}${CLAUDE_AT_VERTEX}`, auth: 'authorization', apiKey: 'k' } as const;
  const asked = async (path: string): Promise<readonly [number, ...(string | undefined)[]]> => {
    strict.received.length = 0;
    const response = await postJson(`${gateway?.url}${path}`, haiku, { headers: { 'anthropic-beta': beta } });
    await response.text();
    return [
      response.status,
      ...strict.received.map((received) => received.headers['anthropic-beta']?.toString()),
    ];
  };
  try {
    gateway = await startGateway({ vendors: { anthropic: own }, retries: { limit: 0 } });
    expect(await asked('/v1/messages/count_tokens')).toEqual([200, beta, undefined]);
    expect(await asked('/v1/messages/count_tokens')).toEqual([200, undefined]);
    expect(await asked('/v1/messages')).toEqual([200, beta]);
    await gateway.close();
    // Each of several addresses separately.
    const upstreams = [
      { baseUrl: own.baseUrl, apiKey: 'k' },
      { baseUrl: upstream.url, apiKey: 'k' },
    ];
    gateway = await startGateway({ vendors: { anthropic: { upstreams } }, retries: { limit: 0 } });
    upstream.received.length = 0;
    for (let time = 0; time < 8; time += 1) expect((await asked('/v1/messages/count_tokens'))[0]).toBe(200);
    expect(upstream.received.length).toBeGreaterThan(0);
    for (const { headers: told } of upstream.received) expect(told['anthropic-beta']).toBe(beta);
  } finally {
    await strict.close();
  }
});
