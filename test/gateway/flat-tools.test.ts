/** Tools, choices and schemas in the shape of another SDK's format, whose meaning is clear all the same. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { at, type Caller, CLAUDE, claudeBoth, GEMINI, useDoor } from '../checklist/support.ts';

const door = useDoor();

const schema = { type: 'object', properties: { a: { type: 'string' } } };
const named = { name: 'f', description: 'F' };

const FUNCTIONS: readonly (readonly [Caller, JsonObject])[] = [
  ['responses', { type: 'function', function: { ...named, parameters: schema } }],
  ['responses', { function: { ...named, parameters: schema } }],
  ['responses', { type: 'custom', function: { ...named, parameters: schema } }],
  ['responses', { ...named, input_schema: schema }],
  ['responses', { type: 'custom', ...named, input_schema: schema }],
  ['responses', { ...named, parameters: schema }],
  ['chat-completions', { type: 'custom', function: { ...named, parameters: schema } }],
  ['chat-completions', { type: 'function', ...named, parameters: schema }],
  ['chat-completions', { ...named, input_schema: schema }],
  ['messages', { type: 'function', function: { ...named, parameters: schema } }],
  ['messages', { type: 'function', ...named, parameters: schema }],
];

test.each(FUNCTIONS)('a function in %s: %j', async (caller, tool) => {
  const model = caller === 'messages' ? GEMINI : CLAUDE;
  const sent = await door.sentFor(caller, model, { tools: [tool] });
  if (caller === 'messages') {
    const declared = at(sent, 'tools.0.functionDeclarations.0');
    expect(declared).toEqual({ ...named, parametersJsonSchema: schema });
  } else expect(at(sent, 'tools.0')).toEqual({ ...named, input_schema: schema });
});

const CUSTOM: readonly (readonly [Caller, JsonObject])[] = [
  ['chat-completions', { type: 'custom', custom: named }],
  ['chat-completions', { custom: named }],
  ['chat-completions', { type: 'function', custom: named }],
  ['chat-completions', { type: 'custom', function: named }],
  ['responses', { type: 'custom', custom: named }],
  ['responses', { type: 'custom', ...named }],
];

test.each(CUSTOM)('a custom tool in %s: %j', async (caller, tool) => {
  const both = claudeBoth(
    [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { input: 'text' } }],
    'tool_use',
  );
  for (const way of ['whole', 'stream'] as const) {
    door.answers(both[way]);
    const answer = await door[way](caller, CLAUDE, { tools: [tool] });
    expect(answer.reply().choices[0]?.parts).toMatchObject([
      { kind: 'tool-call', name: 'f', custom: true, arguments: 'text' },
    ]);
  }
  expect(at(door.sent(), 'tools.0')).toMatchObject({ name: 'f', input_schema: { required: ['input'] } });
});

const flat = { type: 'function', ...named, parameters: schema };
const other = { ...flat, name: 'g' };

test.each<[JsonObject, JsonObject]>([
  [
    { type: 'function', function: { name: 'f' } },
    { type: 'tool', name: 'f' },
  ],
  [
    {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
    },
    { type: 'tool', name: 'f' },
  ],
])('a choice in responses: %j', async (tool_choice, choice) => {
  const sent = await door.sentFor('responses', CLAUDE, { tools: [flat, other], tool_choice });
  expect(at(sent, 'tool_choice')).toEqual(choice);
});

test('a schema of the answer, wrapped in responses and flat in chat-completions', async () => {
  const closed = { ...schema, required: ['a'], additionalProperties: false };
  const wrapped = { format: { type: 'json_schema', json_schema: { name: 'n', schema: closed } } };
  const byResponses = await door.sentFor('responses', CLAUDE, { text: wrapped });
  const response_format = { type: 'json_schema', name: 'n', schema: closed, strict: true };
  const byChat = await door.sentFor('chat-completions', CLAUDE, { response_format });
  for (const sent of [byResponses, byChat])
    expect(at(sent, 'output_config.format')).toEqual({ type: 'json_schema', schema: closed });
});

test('a call of a custom tool in the history that says it is a function', async () => {
  const messages = [
    { role: 'user', content: 'x' },
    { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', custom: { name: 'f', input: 'text' } }] },
    { role: 'tool', tool_call_id: 'a', content: '1' },
  ];
  const tools = [{ type: 'custom', custom: named }];
  const sent = await door.sentFor('chat-completions', CLAUDE, { messages, tools });
  expect(at(sent, 'messages.1.content.0')).toMatchObject({ name: 'f', input: { input: 'text' } });
});
