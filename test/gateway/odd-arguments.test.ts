/**
 * Calls whose arguments are cut off, or are no JSON object, from vendors of every format to callers of every format,
 * streamed and whole.
 */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { asObject, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import {
  CALLERS,
  type FourCallers,
  MODELS,
  type ReadCall,
  startFourCallers,
} from '../support/four-callers.ts';

let four: FourCallers;
beforeAll(async () => {
  four = await startFourCallers();
});
afterAll(() => four.close());

const LENGTH: Readonly<Record<FormatName, string>> = {
  'chat-completions': 'length',
  responses: 'max_output_tokens',
  messages: 'max_tokens',
  'generate-content': 'MAX_TOKENS',
};

const chat = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
const counts = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };

/** A chat completion with one call, its arguments in these pieces. */
function chatCall(pieces: readonly Json[], finish: string, stream: boolean): JsonObject | JsonObject[] {
  const fn = { name: 'f', arguments: stream ? (pieces[0] ?? '') : pieces.join('') };
  const call = { index: 0, id: 'c1', type: 'function', function: fn };
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason: finish }];
    return { ...chat, object: 'chat.completion', choices, usage: counts };
  }
  const choice = (delta: JsonObject, end: string | null = null): JsonObject => ({
    ...chat,
    choices: [{ index: 0, delta, finish_reason: end }],
  });
  const more = pieces
    .slice(1)
    .map((piece) => choice({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
  return [choice(message), ...more, choice({}, finish), { ...chat, choices: [], usage: counts }];
}

/** Answers in which a call is cut off before its arguments, by the format of the vendor. */
const CUT: Readonly<Record<FormatName, (stream: boolean) => JsonObject | JsonObject[]>> = {
  'chat-completions': (stream) => chatCall([''], 'length', stream),
  responses(stream) {
    const item = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: '' };
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'm',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    };
    if (!stream) return { ...response, output: [{ ...item, status: 'incomplete' }] };
    const begun = { ...response, status: 'in_progress', incomplete_details: null, output: [] };
    return [
      { type: 'response.created', sequence_number: 0, response: begun },
      {
        type: 'response.output_item.added',
        sequence_number: 1,
        output_index: 0,
        item: { ...item, status: 'in_progress' },
      },
      { type: 'response.incomplete', sequence_number: 2, response: { ...response, output: [] } },
    ];
  },
  messages(stream) {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
    const usage = { input_tokens: 1, output_tokens: 2 };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage };
    if (!stream) return { ...message, content: [call], stop_reason: 'max_tokens', stop_sequence: null };
    return [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: call },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
  },
  'generate-content'(stream) {
    const answer = {
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
          finishReason: 'MAX_TOKENS',
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
      modelVersion: 'm',
      responseId: 'r1',
    };
    return stream ? [answer] : answer;
  },
};

/** The input of a call that was cut off before its arguments, as each format has it. */
const EMPTY: Readonly<Record<FormatName, (stream: boolean) => Json>> = {
  'chat-completions': () => '',
  responses: () => '',
  // As Claude itself: the block starts with an empty object, and no delta adds to it.
  messages: (stream) => (stream ? '' : {}),
  // A call of Gemini's is never cut off, so a client takes any `args` for all there are.
  'generate-content': () => null,
};

const tools: Readonly<Record<FormatName, JsonObject>> = {
  'chat-completions': {
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
  },
  responses: { tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }] },
  messages: { tools: [{ name: 'f', input_schema: { type: 'object' } }] },
  'generate-content': { tools: [{ functionDeclarations: [{ name: 'f' }] }] },
};

const pairs = CALLERS.flatMap((vendor) =>
  CALLERS.filter((caller) => caller !== vendor).flatMap((caller) =>
    [false, true].map((stream): [FormatName, FormatName, boolean] => [vendor, caller, stream]),
  ),
);

test.each(pairs)(
  'U-46: a call of a vendor of %s that is cut off before its arguments has none for a caller of %s (streamed: %s)',
  async (vendor, caller, stream) => {
    four.answers(CUT[vendor](stream));
    const { calls, finish, raw } = await four.ask(caller, MODELS[vendor], stream, tools[caller]);
    expect(calls, raw).toMatchObject([{ name: 'f', input: EMPTY[caller](stream) }]);
    expect(finish).toBe(LENGTH[caller]);
  },
);

/** The input of a call as a client gets it: parsed, where the format has a text. */
function inputOf({ input }: ReadCall): Json {
  return typeof input === 'string' ? JSON.parse(input) : input;
}

const twice = JSON.stringify('{"a":"1"}');

describe.each<[name: string, text: string, input: JsonObject]>([
  ['a JSON text in a JSON text', twice, { a: '1' }],
  ['a JSON text in a JSON text in a JSON text', JSON.stringify(twice), { a: '1' }],
  ['a list', '[1]', { arguments: '[1]' }],
  ['a number', '5', { arguments: '5' }],
  ['a number that JavaScript has not', '1e999', { arguments: '1e999' }],
  ['true', 'true', { arguments: 'true' }],
  ['a JSON text that is no object', '"Rome"', { arguments: '"Rome"' }],
  ['no JSON', 'city=Rome', { arguments: 'city=Rome' }],
  ['null', 'null', {}],
  ['only space', ' \n', {}],
  ['an empty JSON text', '""', {}],
  ['an object behind space', '\n {"a":"1"}', { a: '1' }],
])('U-47: arguments that are %s', (_, text, input) => {
  test.each(
    CALLERS.slice(1).flatMap((caller) =>
      [false, true].map((stream): [FormatName, boolean] => [caller, stream]),
    ),
  )('are the same object for a caller of %s (streamed: %s)', async (caller, stream) => {
    four.answers(chatCall(['', ...text], 'tool_calls', stream));
    const { calls } = await four.ask(caller, MODELS['chat-completions'], stream, tools[caller]);
    expect(calls.map(inputOf)).toEqual([input]);
  });
});

/** Answers with a call whose input has the other form than its format says: an object for a text, or a text for an object. */
const OTHER_FORM: Readonly<Record<FormatName, (stream: boolean) => JsonObject | JsonObject[]>> = {
  'chat-completions': (stream) =>
    stream ? chatCall([{ a: '1' }], 'tool_calls', true) : withObject(chatCall([], 'tool_calls', false)),
  responses(stream) {
    const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: { a: '1' } };
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed' };
    if (!stream) return { ...response, output: [call] };
    return [
      { type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: {} } },
      { type: 'response.output_item.done', output_index: 0, item: call },
      { type: 'response.completed', response: { ...response, output: [call] } },
    ];
  },
  messages(stream) {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: '{"a":"1"}' };
    const usage = { input_tokens: 1, output_tokens: 2 };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage };
    if (!stream) return { ...message, content: [call], stop_reason: 'tool_use' };
    return [
      { type: 'message_start', message: { ...message, content: [] } },
      { type: 'content_block_start', index: 0, content_block: call },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
      { type: 'message_stop' },
    ];
  },
  'generate-content'(stream) {
    const parts = [{ functionCall: { name: 'f', args: '{"a":"1"}' } }];
    const answer = { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }] };
    return stream ? [answer] : answer;
  },
};

function withObject(answer: JsonObject | JsonObject[]): JsonObject {
  const text = JSON.stringify(answer);
  return asObject(parseJson(text.replace('"arguments":""', '"arguments":{"a":"1"}'))) ?? {};
}

test.each(pairs)(
  'U-47: a call of a vendor of %s whose input has the other form is the same for a caller of %s (streamed: %s)',
  async (vendor, caller, stream) => {
    four.answers(OTHER_FORM[vendor](stream));
    const { calls } = await four.ask(caller, MODELS[vendor], stream, tools[caller]);
    expect(calls.map(inputOf)).toEqual([{ a: '1' }]);
  },
);

test('a JSON text in a JSON text that is cut off is what has come of the object', async () => {
  const text = JSON.stringify('{"path": "/etc/π"}').slice(0, -5);
  for (const caller of ['responses', 'messages'] as const) {
    four.answers(chatCall(['', ...text], 'length', true));
    const { calls } = await four.ask(caller, MODELS['chat-completions'], true, tools[caller]);
    expect(calls.map(({ input }) => input)).toEqual(['{"path": "/etc/']);
  }
});

test('any text is the same object streamed, in whatever pieces, and whole', async () => {
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ maxLength: 12 }));
  const texts = fc.oneof(
    value.map((any) => JSON.stringify(any)),
    value.map((any) => JSON.stringify(JSON.stringify(any))),
    fc.string({ maxLength: 12 }).filter((text) => !text.trimStart().startsWith('{')),
  );
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 5 }), async (text, size) => {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const read = async (stream: boolean): Promise<readonly Json[]> => {
        four.answers(chatCall(['', ...pieces], 'tool_calls', stream));
        const { calls } = await four.ask('messages', MODELS['chat-completions'], stream, tools.messages);
        return calls.map(inputOf);
      };
      expect(await read(true)).toEqual(await read(false));
    }),
    { numRuns: 60 },
  );
});
