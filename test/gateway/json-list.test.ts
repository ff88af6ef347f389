/** A stream of Gemini without `alt=sse`, translated: one JSON list, in pieces, as Google's own is. */

import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { asObjects, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';
import { json, type Respond, startUpstream, type TestUpstream } from '../support/upstream.ts';

let upstream: TestUpstream | undefined;
let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
});

async function ask(respond: Respond, query = '', config: ConfigInput = {}): Promise<Response> {
  upstream = await startUpstream(respond);
  const baseUrl = `${upstream.url}/v1`;
  gateway = await startGateway({
    ...config,
    vendors: { google: { baseUrl, apiKey: 'vendor-key', formats: ['chat-completions'] } },
    retries: { limit: 0 },
  });
  return fetch(`${gateway.url}/v1beta/models/gemini-2.5-flash:streamGenerateContent${query}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
  });
}

const begin = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();

const event = (delta: JsonObject, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const END = `${event({}, 'stop')}data: [DONE]\n\n`;

/** Reads it as Google's own Python client does (api_core, `BaseResponseIterator`), one character at a time. */
function readByTheLetter(text: string): readonly JsonObject[] {
  expect(text.at(0)).toBe('[');
  expect(text.at(-1)).toBe(']');
  return asObjects(parseJson(text));
}

const textOf = (chunks: readonly JsonObject[]): string =>
  chunks
    .flatMap(({ candidates }) => asObjects(candidates))
    .flatMap(({ content }) => (content === undefined ? [] : asObjects(Object(content).parts)))
    .map(({ text }) => text)
    .join('');

test('an element for each piece, as soon as it is there', async () => {
  let goOn: (() => void) | undefined;
  const response = await ask((_, answer) => {
    begin(answer);
    answer.write(event({ role: 'assistant', content: 'He' }));
    goOn = () => answer.end(event({ content: 'llo' }) + END);
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(response.headers.get('cache-control')).toContain('no-transform');
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.includes('He')) goOn?.();
  }
  const chunks = readByTheLetter(text);
  expect(textOf(chunks)).toBe('Hello');
  expect(asObjects(chunks.at(-1)?.['candidates'])[0]).toMatchObject({ finishReason: 'STOP' });
});

test('a keep-alive is not an element', async () => {
  const pieces = [event({ role: 'assistant', content: 'He' }), event({ content: 'llo' }), END];
  let goOn = (): void => undefined;
  const response = await ask(
    (_, answer) => {
      begin(answer);
      goOn = () => {
        const piece = pieces.shift();
        if (piece === undefined) answer.end();
        else answer.write(piece);
      };
    },
    '',
    { timeouts: { hold: 60, keepAlive: 30 } },
  );
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body ?? []) {
    const heard = decoder.decode(piece, { stream: true });
    text += heard;
    // The vendor is silent until the caller has a keep-alive.
    if (/^\[?\n+$/.test(heard)) goOn();
  }
  expect(text).toMatch(/^\[\n+\{/);
  expect(textOf(readByTheLetter(text))).toBe('Hello');
});

test('a late failure is the last element', async () => {
  const response = await ask((_, answer) => {
    begin(answer);
    answer.write(event({ role: 'assistant', content: 'He' }), () => setImmediate(() => answer.destroy()));
  });
  expect(response.status).toBe(200);
  const chunks = readByTheLetter(await response.text());
  expect(textOf(chunks)).toBe('He');
  expect(chunks.at(-1)).toMatchObject({ error: { code: 502, status: 'UNAVAILABLE' } });
});

test('a refusal has its status, however late, and is not a list', async () => {
  const refuse: Respond = (_, answer) =>
    setTimeout(() => json(answer, { error: { message: 'Slow down.', type: 'rate_limit_error' } }, 429), 200);
  const response = await ask(refuse, '', { timeouts: { hold: 50, keepAlive: 20 } });
  expect(response.status).toBe(429);
  expect(await response.json()).toMatchObject({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } });
});

test('alt=sse asks for events', async () => {
  const response = await ask((_, answer) => {
    begin(answer);
    answer.end(event({ role: 'assistant', content: 'Hello' }) + END);
  }, '?alt=sse');
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(await response.text()).toMatch(/^data: \{/);
});
