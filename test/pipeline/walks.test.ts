/**
 * A request's body is read at most twice: one scan of its bytes and one parse, of which large texts are no part. Everything
 * in the gateway that reads JSON text is counted while real requests pass, if the text is most of the body.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';

/** The readers of JSON that have been given most of a body. */
const { walks, note } = vi.hoisted(() => {
  const walks: string[] = [];
  const isMost = (text: string | Uint8Array): boolean =>
    text.length > 20_000 &&
    (typeof text === 'string' ? text : Buffer.from(text).toString('latin1')).includes('MARK');
  const note = (name: string, text: string | Uint8Array): void => {
    if (isMost(text)) walks.push(name);
  };
  return { walks, note };
});

vi.mock(import('../../src/lib/json-scan.ts'), async (original) => {
  const real = await original();
  return {
    ...real,
    scanObject(bytes) {
      note('scan', bytes);
      return real.scanObject(bytes);
    },
  };
});
vi.mock(import('../../src/lib/json-bounds.ts'), async (original) => {
  const real = await original();
  return {
    ...real,
    tokensIn(text, maxDepth) {
      note('tokens', text);
      return real.tokensIn(text, maxDepth);
    },
    isBounded(text, maxTokens) {
      note('bounds', text);
      return real.isBounded(text, maxTokens);
    },
  };
});
vi.mock(import('../../src/conversation/inexact-number.ts'), async (original) => {
  const real = await original();
  return {
    ...real,
    holdsInexactNumber(text) {
      note('numbers', text);
      return real.holdsInexactNumber(text);
    },
  };
});

const parse = JSON.parse.bind(JSON);
const REPLIES = join(import.meta.dirname, '../../fixtures/replies');
const reply = (format: string, kind: 'sse' | 'json') =>
  readFileSync(join(REPLIES, format, `plain-text.${kind}`));

/** Longer than half of the body, in a prompt with what every reader looks for. */
const LONG = `MARK ${'He said "one", then {two}. '.repeat(1_500)}`;
/** The same where it may be JSON, so that it has to be parsed. */
const PARSED = ` ${LONG}`;
const NARROW = 'gw-a-restricted-key-of-this-test';

let vendor: TestUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  vendor = await startUpstream(({ url, body }, response) => {
    const format = url.includes('/messages')
      ? 'messages'
      : url.includes('/responses')
        ? 'responses'
        : url.includes('/models/')
          ? 'generate-content'
          : 'chat-completions';
    const isStream = url.includes(':stream') || body.includes('"stream":true');
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    // Later than the head that the gateway sends early.
    setTimeout(() => response.end(reply(format, isStream ? 'sse' : 'json')), 60);
  });
  const vendors = vendorsAtUrl(vendor.url);
  gateway = await startGateway({
    timeouts: { hold: 20 },
    // Two upstreams: a conversation stays with one of them.
    vendors: { ...vendors, openai: { ...vendors['openai'], upstreams: [{ apiKey: 'another' }] } },
    keys: [{ name: 'narrow', key: NARROW, models: ['openai/*', 'anthropic/*', 'google/*'] }],
  });
  JSON.parse = (text: string, ...rest: [never]) => {
    note('parse', text);
    return parse(text, ...rest);
  };
});
afterEach(() => {
  walks.length = 0;
});
afterAll(async () => {
  JSON.parse = parse;
  await gateway.close();
  await vendor.close();
});

const turns = (text: string) => [
  { role: 'user', content: text },
  { role: 'assistant', content: 'Two.' },
  { role: 'user', content: 'Go on.' },
];
const BODIES: Readonly<
  Record<string, (model: string, stream: boolean, text: string) => readonly [path: string, JsonObject]>
> = {
  'chat-completions': (model, stream, text) => [
    '/v1/chat/completions',
    { model, stream, temperature: 0.7, messages: turns(text) },
  ],
  responses: (model, stream, text) => [
    '/v1/responses',
    { model, stream, temperature: 0.7, input: turns(text) },
  ],
  messages: (model, stream, text) => [
    '/v1/messages',
    { model, stream, max_tokens: 100, temperature: 0.7, messages: turns(text) },
  ],
  'generate-content': (model, stream, text) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    {
      generationConfig: { temperature: 0.7 },
      contents: turns(text).map(({ role, content }) => ({
        role: role === 'user' ? 'user' : 'model',
        parts: [{ text: content }],
      })),
    },
  ],
};

async function walksOf(
  format: string,
  model: string,
  stream: boolean,
  key: string,
  text = PARSED,
): Promise<readonly string[]> {
  const [path, body] = BODIES[format]?.(model, stream, text) ?? ['', {}];
  const sent = JSON.stringify(body);
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: sent,
  });
  await answer.text();
  expect(answer.status).toBe(200);
  return [...walks];
}

const WAYS = [
  ['chat-completions', 'openai/gpt-4.1', 'native'],
  ['responses', 'openai/gpt-4.1', 'native'],
  ['messages', 'anthropic/claude-sonnet-4-5', 'native'],
  ['generate-content', 'google/gemini-2.5-flash', 'native'],
  ['chat-completions', 'anthropic/claude-sonnet-4-5', 'translated'],
  ['responses', 'google/gemini-2.5-flash', 'translated'],
  ['messages', 'openai/gpt-4.1', 'translated'],
  ['messages', 'google/gemini-2.5-flash', 'translated'],
] as const;

describe.each([true, false])('streamed: %s', (stream) => {
  test.each(WAYS)('%s for %s, %s: one scan, and a parse only to translate', async (format, model, way) => {
    expect(await walksOf(format, model, stream, KEY)).toEqual(
      way === 'native' ? ['scan'] : ['scan', 'parse'],
    );
  });

  test.each(WAYS)('%s for %s, %s: a large text is not parsed', async (format, model) => {
    expect(await walksOf(format, model, stream, KEY, LONG)).toEqual(['scan']);
    walks.length = 0;
    expect(await walksOf(format, model, stream, NARROW, LONG)).toEqual(['scan']);
  });

  test.each(WAYS)('%s for %s, %s, with a restricted key: one scan and one parse', async (format, model) => {
    expect(await walksOf(format, model, stream, NARROW)).toEqual(['scan', 'parse']);
  });
});
