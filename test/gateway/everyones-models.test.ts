/** The Gemini endpoint with every vendor's models, if the configuration says so. */

import { afterEach, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { asObjects, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { json, type Respond, startUpstream, type TestUpstream } from '../support/upstream.ts';

let upstream: TestUpstream | undefined;
let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
});

const ALL: ConfigInput = { generateContent: { models: 'all' }, countTokens: { models: 'all' } };
const CLAUDE = 'anthropic/claude-sonnet-4-5';
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };

async function post(path: string, body: JsonObject = CONTENTS, key = KEY): Promise<Response> {
  return fetch(`${gateway?.url}/v1beta/models/${path}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function listed(key = KEY): Promise<readonly string[]> {
  const response = await fetch(`${gateway?.url}/v1beta/models`, { headers: { 'x-goog-api-key': key } });
  const { models } = Object(await response.json());
  return asObjects(models).map(({ name }) => `${name}`);
}

test('not by default', async () => {
  gateway = await startGateway();
  const response = await post(`${CLAUDE}:generateContent`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    error: {
      status: 'NOT_FOUND',
      message: expect.stringMatching(`^Model not supported: ${CLAUDE}. .*generateContent: { models: 'all' }`),
    },
  });
  expect((await listed()).every((name) => name.startsWith('models/gem'))).toBe(true);
});

test.each(['/', '%2F'])('by the full id, in a path with %s, and by an alias of Google’s', async (slash) => {
  gateway = await startGateway({ ...ALL, aliases: { 'google/claude': CLAUDE } });
  for (const model of [CLAUDE.replace('/', slash), 'claude']) {
    const whole = await post(`${model}:generateContent`);
    expect(whole.status).toBe(200);
    expect(await whole.json()).toMatchObject({ modelVersion: 'claude-sonnet-4-5' });
    const streamed = await post(`${model}:streamGenerateContent?alt=sse`);
    expect(await streamed.text()).toContain('"finishReason":"STOP"');
    const list = await post(`${model}:streamGenerateContent`);
    expect(asObjects(parseJson(await list.text())).length).toBeGreaterThan(1);
    const count = await post(`${model}:countTokens`);
    expect(await count.json()).toEqual({ totalTokens: expect.any(Number) });
  }
  expect(await listed()).toContain(`models/${CLAUDE}`);
});

test('the token count of a whole request, in either spelling, covers all of its content', async () => {
  gateway = await startGateway(ALL);
  const count = async (body: JsonObject): Promise<number> => {
    const response = await post(`${CLAUDE}:countTokens`, body);
    expect(response.status).toBe(200);
    return Object(await response.json()).totalTokens;
  };
  const plain = await count(CONTENTS);
  const request = {
    model: `models/${CLAUDE}`,
    ...CONTENTS,
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
  };
  expect(await count({ generateContentRequest: request })).toBeGreaterThan(plain);
  expect(await count({ generate_content_request: request })).toBeGreaterThan(plain);
});

test.each([
  ['the alias of the path', 'models/claude'],
  ['the alias without its prefix', 'claude'],
  ['the alias with its vendor', 'models/google/claude'],
  ['the model itself', CLAUDE],
  ['nothing', null],
])('a body may name the model of the path too: %s', async (_, model) => {
  gateway = await startGateway({ ...ALL, aliases: { 'google/claude': CLAUDE } });
  for (const body of [
    { generateContentRequest: { ...CONTENTS, model } },
    { generate_content_request: { ...CONTENTS, model } },
    { ...CONTENTS, model },
  ]) {
    const counted = await post('claude:countTokens', body);
    expect(await counted.json()).toEqual({ totalTokens: expect.any(Number) });
  }
  expect((await post('claude:generateContent', { ...CONTENTS, model })).status).toBe(200);
  const other = { generateContentRequest: { ...CONTENTS, model: 'models/gemini-2.5-flash' } };
  expect((await post('claude:countTokens', other)).status).toBe(400);
});

test("an alias in the body of a native request goes out as the vendor's name, and nothing else changes", async () => {
  upstream = await startUpstream((_, response) => json(response, { totalTokens: 3 }));
  gateway = await startGateway({
    vendors: vendorsAtUrl(upstream.url),
    aliases: { 'google/fast': 'google/gemini-2.5-flash' },
  });
  for (const [written, sent] of [
    ['models/fast', 'models/gemini-2.5-flash'],
    ['fast', 'gemini-2.5-flash'],
    ['models/gemini-2.5-flash', 'models/gemini-2.5-flash'],
  ]) {
    const text = (model: string | undefined): string =>
      `{ "generate_content_request":{"contents": [ ],"model" : "${model}", "x":1e2}, "model":"${model}"}`;
    const counted = await fetch(`${gateway.url}/v1beta/models/fast:countTokens`, {
      method: 'POST',
      headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
      body: text(written),
    });
    expect(counted.status).toBe(200);
    const received = upstream.received.at(-1);
    expect(received?.url).toBe('/v1beta/models/gemini-2.5-flash:countTokens');
    expect(received?.body.toString()).toBe(text(sent));
  }
});

test('a restricted key is held to its models', async () => {
  const keys = [{ name: 'claude', key: 'k-claude-0123456789', models: ['anthropic/*'] }];
  gateway = await startGateway({ ...ALL, keys });
  expect((await post(`${CLAUDE}:generateContent`, CONTENTS, 'k-claude-0123456789')).status).toBe(200);
  const refused = await post('openai/gpt-4.1:generateContent', CONTENTS, 'k-claude-0123456789');
  expect(refused.status).toBe(403);
  expect((await listed('k-claude-0123456789')).every((name) => name.startsWith('models/anthropic/'))).toBe(
    true,
  );
});

test.each([
  ['all', 200],
  ['google', 503],
] as const)('a model that cannot answer falls back to one that is available: %s', async (models, status) => {
  const respond: Respond = ({ url }, response) => {
    if (url.includes('generateContent'))
      json(response, { error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } }, 503);
    else
      json(response, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: 'Here I am.' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 4 },
      });
  };
  upstream = await startUpstream(respond);
  gateway = await startGateway({
    generateContent: { models },
    vendors: vendorsAtUrl(upstream.url),
    fallbacks: { 'google/gemini-2.5-flash': [CLAUDE] },
  });
  const response = await post('gemini-2.5-flash:generateContent');
  expect(response.status).toBe(status);
  expect((await response.text()).includes('Here I am.')).toBe(models === 'all');
});
