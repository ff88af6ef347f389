/** What callers may write and seldom do, made up by fast-check: texts of nothing, results out of order, what says nothing. */

import fc from 'fast-check';
import { compact, type Json, type JsonObject } from '../../src/lib/json.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const ADDRESS = `data:image/png;base64,${PIXEL}`;
const PNG = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };

const either = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(one, { nil: undefined });

const said = either('Hello?', 'In Rome.', '{"a":1}', 'ünï\u0301 😀', ' padded ', 'ok', '', ' ', '\n\n');
const names = either('get_weather', 'search', 'run');
const inputs = either('{}', '', '{"city":"Rome"}', '{"n":12345678901234567890}', '{"cut":"of', '[1]', 'null');

const text = { type: 'string' };
const schemas = either<JsonObject>(
  { type: 'object', properties: { city: text } },
  { type: 'object', properties: {}, additionalProperties: false },
  { type: 'object', properties: { e: { enum: ['', null, 1] } }, required: ['e'] },
  {
    type: 'object',
    properties: { d: { $ref: '#/$defs/d' } },
    $defs: { d: { type: 'object', properties: { d: { $ref: '#/$defs/d' } } } },
  },
);
/** Those that Anthropic takes from nobody. */
const oddSchemas = either<JsonObject>(
  { type: 'object', properties: { 'a b$': { type: ['string', 'null'], pattern: '^(?=a)' } } },
  {
    type: 'object',
    properties: { pair: { type: 'array', items: [text, { type: 'number' }] } },
    required: null,
  },
  { oneOf: ['a', 'b'].map((name) => ({ type: 'object', properties: { [name]: text } })) },
);

/** The functions of a request, by their names. */
const functions = (parameters: fc.Arbitrary<JsonObject>) =>
  fc.uniqueArray(fc.record({ name: names, parameters }), { maxLength: 3, selector: ({ name }) => name });

/** A text, or some in a list, as a format has it. */
const texts = (type: string): fc.Arbitrary<Json> =>
  fc.oneof(
    said,
    fc.array(
      said.map((one) => ({ type, text: one })),
      { minLength: 1, maxLength: 3 },
    ),
  );

/** Calls of one turn, and what came of them, in order or not. */
const round = fc
  .record({
    calls: fc.uniqueArray(
      fc.record({
        id: either('call_1', 'call_2', 'call_3', 'toolu_x', 'c:1|2', 'a b'),
        name: names,
        input: inputs,
        result: said,
      }),
      { minLength: 1, maxLength: 3, selector: ({ id }) => id },
    ),
    isTurned: fc.boolean(),
    shows: fc.boolean(),
    beside: maybe(said),
  })
  .map(({ calls, isTurned, ...more }) => ({
    ...more,
    calls,
    results: isTurned ? calls.toReversed() : calls,
  }));

type Turns = fc.Arbitrary<readonly JsonObject[]>;

const dialogueOf = (turns: Turns): Turns =>
  fc.array(turns, { maxLength: 6 }).map((list) => [{ role: 'user', content: 'Hello?' }, ...list.flat()]);

const chatTurn: Turns = fc.oneof(
  fc
    .tuple(either('system', 'developer', 'user', 'assistant'), texts('text'))
    .map(([role, content]) => [{ role, content }]),
  either([{ role: 'user', content: [{ type: 'image_url', image_url: { url: ADDRESS } }] }]),
  fc.tuple(round, fc.oneof(texts('text'), either(null))).map(([{ calls, results, beside }, content]) => [
    {
      role: 'assistant',
      content,
      tool_calls: calls.map(({ id, name, input }) =>
        name === 'run'
          ? { id, type: 'custom', custom: { name, input } }
          : { id, type: 'function', function: { name, arguments: input } },
      ),
    },
    ...results.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
    ...(beside === undefined ? [] : [{ role: 'user', content: beside }]),
  ]),
);

/** Bodies of chat-completions, without a model. */
export const chatBodies: fc.Arbitrary<JsonObject> = fc
  .record({
    messages: dialogueOf(chatTurn),
    offered: functions(fc.oneof(schemas, oddSchemas)),
    tool_choice: maybe(either<Json>('auto', 'none', 'required')),
    reasoning_effort: maybe(either('none', 'low', 'high')),
    max_completion_tokens: maybe(either(1, 4000)),
    response_format: maybe(
      either<Json>(
        { type: 'text' },
        { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'array', items: [text] } } },
      ),
    ),
    user: maybe(either('zoe@example.com', 'u1')),
    stream: fc.boolean(),
  })
  .map(({ offered, tool_choice, ...rest }) =>
    compact({
      ...rest,
      ...(offered.length > 0 && {
        tools: offered.map((one) => ({ type: 'function', function: one })),
        ...compact({ tool_choice }),
      }),
    }),
  );

const responsesTurn: Turns = fc.oneof(
  fc
    .tuple(either('system', 'developer', 'user'), texts('input_text'))
    .map(([role, content]) => [{ role, content }]),
  texts('output_text').map((content) => [{ type: 'message', role: 'assistant', content }]),
  either([{ role: 'user', content: [{ type: 'input_image', image_url: ADDRESS }] }]),
  fc.tuple(round, fc.boolean()).map(([{ calls, results, beside, shows }, isCustom]) => [
    ...calls.map(({ id: call_id, name, input }) =>
      isCustom
        ? { type: 'custom_tool_call', call_id, name, input }
        : { type: 'function_call', call_id, name, arguments: input },
    ),
    ...(beside === undefined ? [] : [{ role: 'assistant', content: beside }]),
    ...results.map(({ id: call_id, result }) => ({
      type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
      call_id,
      output: shows
        ? [
            { type: 'input_text', text: 'See:' },
            { type: 'input_image', image_url: ADDRESS },
          ]
        : result,
    })),
  ]),
);

/** Bodies of responses, without a model. */
export const responsesBodies: fc.Arbitrary<JsonObject> = fc
  .record({
    input: dialogueOf(responsesTurn),
    instructions: maybe(said),
    offered: functions(fc.oneof(schemas, oddSchemas)),
    tool_choice: maybe(either<Json>('auto', 'none', 'required')),
    reasoning: maybe(either<Json>({ effort: 'low' }, { effort: 'high', summary: 'auto' })),
    stream: fc.boolean(),
  })
  .map(({ offered, tool_choice, ...rest }) =>
    compact({
      ...rest,
      store: false,
      ...(offered.length > 0 && {
        tools: offered.map((one) => ({ type: 'function', strict: false, ...one })),
        ...compact({ tool_choice }),
      }),
    }),
  );

const messagesTurn: Turns = fc.oneof(
  fc.tuple(either('user', 'assistant'), texts('text')).map(([role, content]) => [{ role, content }]),
  either<JsonObject[]>(
    [{ role: 'user', content: [PNG] }],
    [{ role: 'user', content: [{ type: 'text', text: 'Marked.', cache_control: { type: 'ephemeral' } }] }],
    [
      { role: 'user', content: 'Hm.' },
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: 'Yes.' },
    ],
  ),
  round.map(({ calls, results, beside, shows }) => [
    { role: 'user', content: 'Go on.' },
    {
      role: 'assistant',
      content: calls.map(({ id, name }) => ({ type: 'tool_use', id, name, input: { city: 'Rome' } })),
    },
    {
      role: 'user',
      content: [
        ...results.map(({ id, result }) => ({
          type: 'tool_result',
          tool_use_id: id,
          ...(result !== '' && { content: shows ? [{ type: 'text', text: 'See:' }, PNG] : result }),
        })),
        ...(beside ? [{ type: 'text', text: beside }] : []),
      ],
    },
  ]),
);

/** Ids of uses in letters that Anthropic takes, and no two alike in a dialogue. */
function apart(messages: readonly JsonObject[]): readonly JsonObject[] {
  let round = 0;
  return messages.map(({ role, content }) => {
    if (!Array.isArray(content)) return compact({ role, content });
    if (role === 'assistant') round += 1;
    const own = (id: Json | undefined): Json => `${String(id).replaceAll(/\W/g, '')}_${round}`;
    return compact({
      role,
      content: content.map((block: JsonObject) => ({
        ...block,
        ...(block['type'] === 'tool_use' && { id: own(block['id']) }),
        ...(block['type'] === 'tool_result' && { tool_use_id: own(block['tool_use_id']) }),
      })),
    });
  });
}

/** Bodies of messages, without a model. */
export const messagesBodies: fc.Arbitrary<JsonObject> = fc
  .record({
    messages: dialogueOf(messagesTurn).map(apart),
    system: maybe(
      either<Json>('Be brief.', [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }]),
    ),
    offered: functions(schemas),
    tool_choice: maybe(
      either<Json>(
        { type: 'auto' },
        { type: 'any' },
        { type: 'none' },
        { type: 'auto', disable_parallel_tool_use: true },
      ),
    ),
    thinking: maybe(either<Json>({ type: 'adaptive' }, { type: 'disabled' })),
    max_tokens: either(1, 4000),
    stream: fc.boolean(),
  })
  .map(({ offered, tool_choice, ...rest }) =>
    compact({
      ...rest,
      ...(offered.length > 0 && {
        tools: offered.map(({ name, parameters }) => ({ name, input_schema: parameters })),
        ...compact({ tool_choice }),
      }),
    }),
  );
