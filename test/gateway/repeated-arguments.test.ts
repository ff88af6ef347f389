/** Arguments of calls of which each piece of the stream repeats all before it, to callers of every format. */

import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { CALLERS, MODELS, namedInputs, startFourCallers } from '../support/four-callers.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(startFourCallers);

const PIECES = ['{"q', '{"q": "he', '{"q": "hello"}', '{"q": "hello"}'];

/** Two calls of a chat completion, one after the other; the head of a call comes with each of its pieces or with the first. */
function chat(again: boolean): readonly JsonObject[] {
  const choice = (delta: JsonObject, end: string | null = null): JsonObject => ({
    id: 'c',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: end }],
  });
  const call = (index: number, text: string, isFirst: boolean): JsonObject => ({
    index,
    ...((again || isFirst) && { id: `call_${index}`, type: 'function' }),
    function: { ...((again || isFirst) && { name: 'f' }), arguments: text },
  });
  const calls = [0, 1].flatMap((index) =>
    PIECES.map((text, at) => choice({ tool_calls: [call(index, text, at === 0)] })),
  );
  return [...calls, choice({}, 'tool_calls')];
}

function response(): readonly JsonObject[] {
  const calls = [0, 1].flatMap((at): JsonObject[] => {
    const item = { type: 'function_call', id: `fc_${at}`, call_id: `call_${at}`, name: 'f', arguments: '' };
    const place = { output_index: at, item_id: item.id };
    return [
      { type: 'response.output_item.added', output_index: at, item },
      ...PIECES.map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
      {
        type: 'response.output_item.done',
        output_index: at,
        item: { ...item, arguments: PIECES.at(-1) ?? '' },
      },
    ];
  });
  return [
    ...calls,
    { type: 'response.completed', response: { id: 'r', model: 'm', status: 'completed', output: [] } },
  ];
}

const STREAMS: readonly (readonly [string, FormatName, readonly JsonObject[]])[] = [
  ['a chat completion', 'chat-completions', chat(false)],
  ['a chat completion that repeats ids and names, too', 'chat-completions', chat(true)],
  ['a response', 'responses', response()],
];

describe.each(STREAMS)('the calls of %s', (_, format, events) => {
  test.each(CALLERS.filter((caller) => caller !== format))(
    'have them once for a caller of %s',
    async (caller) => {
      four().answers(events);
      expect(namedInputs(await four().ask(caller, MODELS[format], true))).toEqual([
        ['f', { q: 'hello' }],
        ['f', { q: 'hello' }],
      ]);
    },
  );
});

/** The pieces of a text that begins again inside itself, which only arguments would not do. */
const TEXT = ['{"q', '{"q": 1}'];

const CUSTOM: readonly (readonly [FormatName, readonly JsonObject[]])[] = [
  [
    'chat-completions',
    TEXT.map((input, at) => ({
      id: 'c',
      model: 'm',
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, id: 'call_0', type: 'custom', custom: { name: 'f', input } }] },
          finish_reason: at === 0 ? null : 'tool_calls',
        },
      ],
    })),
  ],
  [
    'responses',
    [
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { type: 'custom_tool_call', id: 'ctc_0', call_id: 'call_0', name: 'f', input: '' },
      },
      ...TEXT.map((delta) => ({
        type: 'response.custom_tool_call_input.delta',
        output_index: 0,
        item_id: 'ctc_0',
        delta,
      })),
      { type: 'response.completed', response: { id: 'r', model: 'm', status: 'completed', output: [] } },
    ],
  ],
];

/** The tool that is called: a call that none is named for would be the vendor's own. */
const TOOLS = {
  messages: [{ name: 'f', input_schema: { type: 'object' } }],
  'generate-content': [{ functionDeclarations: [{ name: 'f' }] }],
} as const;

// Only these two have the text as an argument.
describe.each(CUSTOM)('the text of a custom call of %s', (format, events) => {
  test.each(['messages', 'generate-content'] as const)(
    'is whole for a caller of %s, also where it repeats itself',
    async (caller) => {
      four().answers(events);
      const read = await four().ask(caller, MODELS[format], true, { tools: TOOLS[caller] });
      expect(namedInputs(read)).toEqual([['f', { input: TEXT.join('') }]]);
    },
  );
});
