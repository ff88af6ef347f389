/** Ids of calls from vendors that give none, or the same ones in each answer: they differ within a dialogue. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { JsonObject } from '../../src/lib/json.ts';
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

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };

type Answer = (stream: boolean) => JsonObject | JsonObject[];

/** Two calls of a chat service. */
function chat(head: JsonObject, ids: readonly (string | undefined)[]): Answer {
  const calls = ids.map((id, index) => ({
    index,
    ...(id !== undefined && { id }),
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  }));
  const whole = { role: 'assistant', content: null, tool_calls: calls };
  const around = { ...head, object: 'chat.completion', created: 1, model: 'm', usage };
  return (stream) =>
    stream
      ? [
          { ...around, choices: [{ index: 0, delta: whole, finish_reason: null }] },
          { ...around, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
        ]
      : { ...around, choices: [{ index: 0, message: whole, finish_reason: 'tool_calls' }] };
}

const gemini =
  (head: JsonObject): Answer =>
  (stream) => {
    const parts = [{ functionCall: { name: 'f', args: {} } }, { functionCall: { name: 'f', args: {} } }];
    const candidates = [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }];
    const answer = {
      ...head,
      candidates,
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
      modelVersion: 'm',
    };
    return stream ? [answer] : answer;
  };

const withoutIds: Answer = (stream) => {
  const output = [0, 1].map(() => ({
    type: 'function_call',
    name: 'f',
    arguments: '{}',
    status: 'completed',
  }));
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output,
    usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  };
  return stream ? [{ type: 'response.completed', sequence_number: 0, response }] : response;
};

const vendors: readonly [name: string, vendor: FormatName, answer: Answer][] = [
  ['the same ids in each answer', 'chat-completions', chat({ id: 'c' }, ['call_0', 'call_1'])],
  ['one id for all calls', 'chat-completions', chat({ id: 'c' }, ['call_0', 'call_0'])],
  ['no ids, in answers that all have one id', 'chat-completions', chat({ id: 'c' }, ['', undefined])],
  ['no ids, in answers without an id', 'chat-completions', chat({}, ['', undefined])],
  ['no ids of items', 'responses', withoutIds],
  ['no ids (Gemini)', 'generate-content', gemini({})],
  ['no ids, in answers that all have one id (Gemini)', 'generate-content', gemini({ responseId: 'r' })],
];

/** The dialogue with these calls and their results, in the words of a caller. */
function dialogue(caller: FormatName, calls: readonly ReadCall[]): JsonObject {
  switch (caller) {
    case 'chat-completions':
      return {
        messages: [
          { role: 'user', content: 'x' },
          {
            role: 'assistant',
            content: null,
            tool_calls: calls.map(({ id }) => ({
              id,
              type: 'function',
              function: { name: 'f', arguments: '{}' },
            })),
          },
          ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '5' })),
        ],
      };
    case 'responses':
      return {
        input: [
          { role: 'user', content: 'x' },
          ...calls.map(({ id }) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })),
          ...calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: '5' })),
        ],
      };
    case 'messages':
      return {
        messages: [
          { role: 'user', content: 'x' },
          {
            role: 'assistant',
            content: calls.map(({ id }) => ({ type: 'tool_use', id, name: 'f', input: {} })),
          },
          {
            role: 'user',
            content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '5' })),
          },
        ],
      };
    case 'generate-content':
      return {
        contents: [
          { role: 'user', parts: [{ text: 'x' }] },
          { role: 'model', parts: calls.map(({ id }) => ({ functionCall: { id, name: 'f', args: {} } })) },
          {
            role: 'user',
            parts: calls.map(({ id }) => ({
              functionResponse: { id, name: 'f', response: { output: '5' } },
            })),
          },
        ],
      };
  }
}

describe.each(vendors)('U-48: %s', (_, vendor, answer) => {
  test.each(
    CALLERS.filter((caller) => caller !== vendor).flatMap((caller) =>
      [false, true].map((stream): [FormatName, boolean] => [caller, stream]),
    ),
  )(
    'have a caller of %s (streamed: %s) get ids of their own through the dialogue',
    async (caller, stream) => {
      const calls: ReadCall[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        four.answers(answer(stream));
        const more = calls.length === 0 ? {} : dialogue(caller, calls);
        calls.push(...(await four.ask(caller, MODELS[vendor], stream, more)).calls);
      }
      const ids = calls.map(({ id }) => id);
      expect(ids).toHaveLength(6);
      expect(ids).not.toContain('');
      expect(new Set(ids).size, ids.join(' ')).toBe(6);
    },
  );
});

test('ids of the vendor that no other call has stay as they are, streamed and whole', async () => {
  for (const stream of [false, true]) {
    four.answers(chat({ id: 'c' }, ['call_a', 'call_b'])(stream));
    const { calls } = await four.ask('messages', MODELS['chat-completions'], stream);
    expect(calls.map(({ id }) => id)).toEqual(['call_a', 'call_b']);
  }
});

test.each<[name: string, answer: Answer, vendor: FormatName]>([
  ['chat-completions', chat({}, ['', '']), 'chat-completions'],
  ['responses', withoutIds, 'responses'],
  ['generate-content', gemini({}), 'generate-content'],
])(
  'ids for a vendor of %s that gives none at all differ between any two answers',
  async (_, answer, vendor) => {
    const ids: string[] = [];
    for (const stream of [false, true, false]) {
      four.answers(answer(stream));
      const { calls } = await four.ask('messages', MODELS[vendor], stream);
      ids.push(...calls.map(({ id }) => id));
    }
    expect(new Set(ids).size).toBe(6);
  },
);
