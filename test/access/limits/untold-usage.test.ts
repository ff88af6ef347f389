/**
 * Answers for which the vendor reports no usage, or only part of it. They are not free for keys with limits
 * on tokens or money: otherwise a caller could avoid every limit by leaving each stream before its last
 * event.
 */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ExchangeRecord } from '../../../src/accounting/usage/exchange-record.ts';
import { makeRecord } from '../../../src/accounting/usage/make-record.ts';
import type { KeyLimits } from '../../../src/store/keys/key-limits.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { startUpstream, type TestUpstream } from '../../support/upstream.ts';

const LIMITED = 'gw-test-key-with-limits';
/** A word of 4,000 bytes: 1,000 tokens. */
const WORD = 'word '.repeat(800);

const records: ExchangeRecord[] = [];
let status: number;
let type: string;
let answer: string;
/** Whether the vendor stays silent afterwards, like a model that continues to think. */
let isOpen: boolean;
let upstream: TestUpstream;
let gateway: TestGateway;
beforeEach(async () => {
  records.length = 0;
  isOpen = false;
  status = 200;
  type = 'text/event-stream';
  upstream = await startUpstream((_, response) => {
    response.writeHead(status, { 'content-type': type });
    if (isOpen) response.write(answer);
    else response.end(answer);
  });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

async function open(limits: KeyLimits): Promise<void> {
  const config = {
    vendors: vendorsAtUrl(upstream.url),
    keys: [{ name: 'limited', key: LIMITED, limits }],
  };
  gateway = await startGateway(config, undefined, (made) => ({
    ...made,
    record(closed, charged) {
      records.push(makeRecord(closed));
      made.record?.(closed, charged);
    },
  }));
}

/** Sends a request, and disconnects once `until` has arrived in the answer. @returns the status. */
async function ask(path: string, body: object | string, until?: string, key = LIMITED): Promise<number> {
  const known = records.length;
  const leaving = new AbortController();
  const response = await postJson(`${gateway.url}${path}`, body, { key, signal: leaving.signal });
  let text = '';
  if (response.status === 200 && until !== undefined) {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes(until)) break;
    }
    leaving.abort();
  } else await response.text();
  await expect.poll(() => records.length).toBeGreaterThan(known);
  return response.status;
}

const sse = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const named = (...events: readonly { readonly type: string; readonly [field: string]: unknown }[]): string =>
  events.map((event) => `event: ${event.type}\n${sse(event)}`).join('');
const turn = { role: 'user', content: 'Go on.' };

const chunk = (delta: object) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-4.1',
  choices: [{ index: 0, delta, finish_reason: null }],
});
const CHAT = sse(chunk({ role: 'assistant', content: '' }), chunk({ content: WORD }));
const RESPONSE = {
  id: 'r',
  object: 'response',
  status: 'in_progress',
  model: 'gpt-4.1',
  output: [],
  usage: null,
};
const RESPONSES = named(
  ...[
    { type: 'response.created', response: RESPONSE },
    {
      type: 'response.output_text.delta',
      item_id: 'm',
      output_index: 0,
      content_index: 0,
      delta: WORD,
    },
  ].map((event, at) => ({ ...event, sequence_number: at })),
);
const MESSAGES = named(
  ...[
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [],
        stop_reason: null,
        usage: { input_tokens: 10, output_tokens: 2 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORD } },
  ],
);

const LEFT: readonly (readonly [name: string, path: string, model: string, stream: string])[] = [
  ['chat-completions', '/v1/chat/completions', 'openai/gpt-4.1', CHAT],
  ['responses', '/v1/responses', 'openai/gpt-4.1', RESPONSES],
  ['messages', '/v1/messages', 'anthropic/claude-sonnet-4-5', MESSAGES],
  ['chat-completions to messages', '/v1/chat/completions', 'anthropic/claude-sonnet-4-5', MESSAGES],
  ['messages to chat-completions', '/v1/messages', 'openai/gpt-4.1', CHAT],
];
const bodyOf = (path: string, model: string) =>
  path === '/v1/responses'
    ? { model, stream: true, input: 'Go on.' }
    : { model, stream: true, max_tokens: 9_000, messages: [turn] };

describe.each(LEFT)('%s: a stream whose caller disconnects', (_, path, model, stream) => {
  test.each<[string, KeyLimits]>([
    ['tokens', { tokensPerMinute: 800 }],
    ['money', { budgetDay: 0.006 }],
  ])('is counted in %s', async (_of, limits) => {
    isOpen = true;
    answer = stream;
    await open(limits);
    expect(await ask(path, bodyOf(path, model), WORD)).toBe(200);
    const [left] = records;
    expect(left?.outcome).toBe('client-closed');
    expect(left?.estimated?.tokens).toBeGreaterThan(850);
    expect(left?.estimated?.tokens).toBeLessThan(1_100);
    isOpen = false;
    await expect.poll(() => ask(path, bodyOf(path, model))).toBe(429);
  });
});

/**
 * OpenAI repeats in each response what the request said: a `usage` in it, with zero tokens, is the caller's
 * own.
 */
test.each([
  ['as it is', '"usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0}'],
  ['with escapes', '"us\\u0061ge":{"input_tokens":0,"output_tokens":0,"total_tokens":0}'],
])(
  'responses: a usage of the caller’s own, %s, which the vendor repeats, does not count',
  async (_, written) => {
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    const tool = { type: 'function', name: 'f', strict: false, parameters: { type: 'object', usage } };
    const repeated = { type: 'response.created', response: { ...RESPONSE, tools: [tool], usage: null } };
    isOpen = true;
    answer = RESPONSES.replace(/^.*?\n\n/s, named({ ...repeated }));
    await open({ tokensPerMinute: 800 });
    const body = JSON.stringify({ ...bodyOf('/v1/responses', 'openai/gpt-4.1'), tools: [tool] });
    const asked = body.replace(JSON.stringify({ usage }).slice(1, -1), () => written);
    expect(asked).toContain(written);
    expect(await ask('/v1/responses', asked, WORD)).toBe(200);
    expect(records[0]?.estimated?.tokens).toBeGreaterThan(850);
    isOpen = false;
    await expect.poll(() => ask('/v1/responses', asked)).toBe(429);
  },
);

test('a caller who disconnects before the first byte pays for the prompt', async () => {
  isOpen = true;
  answer = CHAT;
  await open({ tokensPerMinute: 800 });
  const asked = {
    ...bodyOf('/v1/chat/completions', 'openai/gpt-4.1'),
    messages: [{ ...turn, content: WORD }],
  };
  expect(await ask('/v1/chat/completions', asked, '')).toBe(200);
  await expect.poll(() => ask('/v1/chat/completions', asked)).toBe(429);
});

describe('a vendor that reports no usage', () => {
  const WHOLE = JSON.stringify({ id: 'c', choices: [{ index: 0, message: { content: WORD } }] });
  test.each([
    ['whole', 'application/json', WHOLE],
    ['streamed', 'text/event-stream', `${CHAT}data: [DONE]\n\n`],
  ])('%s', async (_, media, text) => {
    type = media;
    answer = text;
    await open({ tokensPerMinute: 800 });
    const body = bodyOf('/v1/chat/completions', 'openai/gpt-4.1');
    expect(await ask('/v1/chat/completions', body)).toBe(200);
    expect(records[0]?.cost).toBeUndefined();
    await expect.poll(() => ask('/v1/chat/completions', body)).toBe(429);
  });
});

describe('no usage is estimated', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const path = '/v1/chat/completions';

  test('if the vendor reports it', async () => {
    answer = `${CHAT}${sse({ ...chunk({}), choices: [], usage })}data: [DONE]\n\n`;
    await open({ budgetDay: 10 });
    await ask(path, bodyOf(path, 'openai/gpt-4.1'));
    expect(records[0]).toMatchObject({ usage: { input: 3, output: 2 }, estimated: undefined });
  });

  test('for a whole answer of Anthropic’s, or a stream with its end', async () => {
    answer = `${MESSAGES}${named({ type: 'content_block_stop' }, { type: 'message_delta' }, { type: 'message_stop' })}`;
    answer = answer.replace('{"type":"message_delta"}', () =>
      JSON.stringify({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 7 },
      }),
    );
    await open({ budgetDay: 10 });
    await ask('/v1/messages', bodyOf('/v1/messages', 'anthropic/claude-sonnet-4-5'));
    expect(records[0]).toMatchObject({ usage: { input: 10, output: 7 }, estimated: undefined });
  });

  test('for a rejected request', async () => {
    isOpen = true;
    answer = CHAT;
    await open({ tokensPerMinute: 1 });
    await ask(path, bodyOf(path, 'openai/gpt-4.1'), WORD);
    await expect.poll(() => ask(path, bodyOf(path, 'openai/gpt-4.1'))).toBe(429);
    expect(records.at(-1)).toMatchObject({ status: 429, estimated: undefined });
  });
});

test.each([
  ['refuses', '/v1/chat/completions', 'openai/gpt-4.1', 400, '{"error":{"message":"No.","type":"x"}}'],
  ['counts', '/v1/messages/count_tokens', 'anthropic/claude-sonnet-4-5', 200, '{"input_tokens":1000}'],
])(
  'a request that the vendor only %s costs nothing, however long it is',
  async (_, path, model, told, said) => {
    status = told;
    type = 'application/json';
    answer = said;
    await open({ tokensPerMinute: 800, budgetDay: 0.001 });
    const body = { model, messages: [{ ...turn, content: WORD }] };
    for (let count = 0; count < 3; count += 1) expect(await ask(path, body)).toBe(told);
    for (const record of records) expect(record.estimated).toBeUndefined();
  },
);

test.each([
  [
    'chat-completions',
    '/v1/chat/completions',
    'openai/gpt-4.1',
    sse({ error: { message: 'Overloaded', code: 503 } }),
  ],
  [
    'chat-completions, whole',
    '/v1/chat/completions',
    'openai/gpt-4.1',
    JSON.stringify({ error: { message: 'Overloaded', code: 503 } }),
  ],
  [
    'messages',
    '/v1/messages',
    'anthropic/claude-sonnet-4-5',
    named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  ],
  [
    'responses',
    '/v1/responses',
    'openai/gpt-4.1',
    named(
      { type: 'response.created', response: RESPONSE },
      { type: 'error', error: { type: 'invalid_request_error', code: 'context_length_exceeded' } },
    ),
  ],
])('%s: an answer that is nothing but an error costs nothing, however long the prompt is', async (...row) => {
  const [, path, model, said] = row;
  answer = said;
  if (said.startsWith('{')) type = 'application/json';
  await open({ tokensPerMinute: 800, budgetDay: 0.001 });
  const body = { ...bodyOf(path, model), ...(path === '/v1/responses' && { input: WORD }) };
  const asked = 'messages' in body ? { ...body, messages: [{ ...turn, content: WORD }] } : body;
  for (let count = 0; count < 3; count += 1) expect(await ask(path, asked)).toBe(200);
  for (const record of records) {
    expect(record.estimated).toBeUndefined();
    expect(record.fault).toBeDefined();
  }
});

test('an abandoned stream of a key without limits is estimated too', async () => {
  isOpen = true;
  answer = CHAT;
  await open({ tokensPerMinute: 1 });
  await ask('/v1/chat/completions', bodyOf('/v1/chat/completions', 'openai/gpt-4.1'), WORD, KEY);
  expect(records[0]?.estimated?.tokens).toBeGreaterThan(850);
});

test('an image is not text: it counts as one image, however many bytes it has', async () => {
  isOpen = true;
  answer = CHAT;
  await open({ tokensPerMinute: 9_000 });
  const url = `data:image/png;base64,${Buffer.alloc(300_000, 7).toString('base64')}`;
  const content = [{ type: 'image_url', image_url: { url } }];
  const body = { ...bodyOf('/v1/chat/completions', 'openai/gpt-4.1'), messages: [{ role: 'user', content }] };
  await ask('/v1/chat/completions', body, WORD);
  expect(records[0]?.estimated?.tokens).toBeLessThan(2_200);
});
