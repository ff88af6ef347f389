/** A native body that its vendor refuses because of leftovers from other vendors' models in its dialogue. */

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { KEY, startRecorded, vendorsAtUrl } from '../support/gateway.ts';
import { json, type Respond, startUpstream, type TestUpstream } from '../support/upstream.ts';

let upstream: TestUpstream;
let gateway: Awaited<ReturnType<typeof startRecorded>> | undefined;
let respond: Respond;

beforeAll(async () => {
  upstream = await startUpstream((received, response, request) => respond(received, response, request));
});
afterAll(() => upstream.close());
afterEach(() => gateway?.close());

async function ask(body: string, settings: ConfigInput = {}): Promise<Response> {
  upstream.received.length = 0;
  gateway = await startRecorded({ vendors: vendorsAtUrl(upstream.url), ...settings });
  return fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body,
  });
}

const sent = (): string[] => upstream.received.map(({ body }) => body.toString('utf8'));

const refusal = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } });
const answer = { type: 'message', content: [], usage: { input_tokens: 1, output_tokens: 1 } };

/** A body with white space and an escape of its own, which another serializer would not keep. */
const dialogue = (thoughts: string): string =>
  `{ "model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [ {"role":"user","content":"\\u0048i"},
   {"role":"assistant","content":[${thoughts}{"type":"text","text":"Hello."}]}, {"role":"user","content":"Bye"} ] }`;

const foreign = '{"type":"thinking","thinking":"Hm.","signature":"google#AbC="},';
const own = '{"type":"thinking","thinking":"Hm.","signature":"AbC="},';
const clean = {
  model: 'claude-sonnet-4-5',
  max_tokens: 9,
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
    { role: 'user', content: 'Bye' },
  ],
};

test.each([1, 0])(
  'is sent unchanged, and once more without the leftovers (retries.limit: %d)',
  async (limit) => {
    respond = ({ body }, response) =>
      body.includes('#') ? json(response, refusal('Invalid `signature`'), 400) : json(response, answer);
    const given = dialogue(foreign);
    const response = await ask(given, { retries: { limit } });
    expect([response.status, await response.json()]).toEqual([200, answer]);
    expect(sent()[0]).toBe(given);
    expect(
      sent()
        .slice(1)
        .map((body) => JSON.parse(body)),
    ).toEqual([clean]);
    await expect
      .poll(() => gateway?.records)
      .toMatchObject([{ status: 200, attempts: 2, outcome: 'complete' }]);
    expect(gateway?.records[0]?.fault).toBeUndefined();
  },
);

test('a text of white space alone, as other models write it, is removed too', async () => {
  const message = 'messages: text content blocks must contain non-whitespace text';
  respond = ({ body }, response) =>
    body.includes('\\n\\n') ? json(response, refusal(message), 400) : json(response, answer);
  expect((await ask(dialogue('{"type":"text","text":"\\n\\n"},'))).status).toBe(200);
  expect(JSON.parse(sent()[1] ?? '')).toEqual(clean);
});

test('text after a call, as other models write it, is moved before it', async () => {
  const message =
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.';
  respond = ({ body }, response) =>
    /"tool_use"[^[]*"text"/.test(body.toString('utf8').split('"role":"user"')[1] ?? '')
      ? json(response, refusal(message), 400)
      : json(response, answer);
  const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const text = { type: 'text', text: 'I look it up.' };
  const other = { ...call, id: 'toolu_2' };
  const results = ['toolu_1', 'toolu_2'].map((id) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: '1',
  }));
  const of = (content: unknown[]) => ({
    model: 'claude-sonnet-4-5',
    max_tokens: 9,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: results },
    ],
  });
  expect((await ask(JSON.stringify(of([call, text, other])))).status).toBe(200);
  expect(JSON.parse(sent()[1] ?? '')).toEqual(of([text, call, other]));
});

test('numbers of any length stay unchanged', async () => {
  respond = ({ body }, response) =>
    body.includes('#') ? json(response, refusal('Invalid `signature`'), 400) : json(response, answer);
  const call = '{"type":"tool_use","id":"toolu_1","name":"f","input":{"id":12345678901234567890,"x":1e999}},';
  expect((await ask(dialogue(foreign + call))).status).toBe(200);
  expect(sent()[1]).toContain('"input":{"id":12345678901234567890,"x":1e999}');
});

test('a vendor that accepts the body gets it unchanged', async () => {
  respond = (_, response) => json(response, answer);
  const given = dialogue(foreign);
  expect((await ask(given)).status).toBe(200);
  expect(sent()).toEqual([given]);
});

test("a mistake of the caller is refused once, in the vendor's words", async () => {
  respond = (_, response) => json(response, refusal('max_tokens: too few'), 400);
  const response = await ask(dialogue(own));
  expect([response.status, await response.json()]).toEqual([400, refusal('max_tokens: too few')]);
  expect(sent()).toHaveLength(1);
});

test('if it is refused without the leftovers too, the caller gets the reason', async () => {
  respond = ({ body }, response) =>
    json(response, refusal(body.includes('#') ? 'Invalid `signature`' : 'max_tokens: too few'), 400);
  const response = await ask(dialogue(foreign), { retries: { limit: 2 } });
  expect([response.status, await response.json()]).toEqual([400, refusal('max_tokens: too few')]);
  expect(sent()).toHaveLength(2);
});

test('a fallback model gets it without the leftovers too', async () => {
  respond = ({ url, body }, response) => {
    if (url.includes('chat/completions')) json(response, refusal('Later.'), 503);
    else if (body.includes('#')) json(response, refusal('Invalid `signature`'), 400);
    else json(response, answer);
  };
  const settings = { fallbacks: { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5'] }, retries: { limit: 1 } };
  const response = await ask(dialogue(foreign).replace('claude-sonnet-4-5', 'openai/gpt-4o'), settings);
  expect([response.status, await response.json()]).toEqual([200, answer]);
  expect(upstream.received.map(({ url }) => url)).toEqual([
    '/v1/chat/completions',
    '/v1/messages',
    '/v1/messages',
  ]);
});

test.each([401, 429, 500, 529])('a %d is not a refusal of the content', async (status) => {
  respond = (_, response) => json(response, refusal('No.'), status);
  await (await ask(dialogue(foreign), { retries: { limit: 0 } })).text();
  expect(sent()).toHaveLength(1);
});
