/** A schema whose root is a reference, or that has a reference to nothing, reaches each vendor in a form that it takes. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import {
  at,
  CALLERS,
  type Caller,
  CLAUDE,
  DEEPSEEK,
  GEMINI,
  GEMINI_SUBSET,
  KIMI,
  OPENAI,
  RESPONDER,
  tool,
  useDoor,
} from '../checklist/support.ts';

const door = useDoor();

const A = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const NAMED: JsonObject = { $ref: '#/$defs/A', $defs: { A } };
const TREE: JsonObject = {
  $ref: '#/$defs/T',
  $defs: { T: { type: 'object', properties: { of: { type: 'array', items: { $ref: '#/$defs/T' } } } } },
};

/** A model of each target, its native format, and where the schema of the first tool and of the answer are. */
const TARGETS = [
  [
    OPENAI,
    ['chat-completions', 'responses'],
    'tools.0.function.parameters',
    'response_format.json_schema.schema',
  ],
  [DEEPSEEK, ['chat-completions', 'responses'], 'tools.0.function.parameters', undefined],
  [KIMI, ['chat-completions'], 'tools.0.function.parameters', 'response_format.json_schema.schema'],
  [RESPONDER, ['responses'], 'tools.0.parameters', 'text.format.schema'],
  [CLAUDE, ['messages'], 'tools.0.input_schema', 'output_config.format.schema'],
  [GEMINI, [], 'tools.0.functionDeclarations.0.parametersJsonSchema', 'generationConfig.responseJsonSchema'],
  [GEMINI_SUBSET, [], 'tools.0.functionDeclarations.0.parameters', 'generationConfig.responseSchema'],
] as const;

const rows = TARGETS.flatMap(([model, native, ofTool, ofAnswer]) =>
  CALLERS.filter((caller) => !native.some((format) => format === caller)).map((caller) => ({
    model,
    caller,
    ofTool,
    ofAnswer,
  })),
);

function answerOf(caller: Caller, schema: JsonObject): JsonObject {
  switch (caller) {
    case 'chat-completions':
      return { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } };
    case 'responses':
      return { text: { format: { type: 'json_schema', name: 'a', schema } } };
    case 'messages':
      return { output_config: { format: { type: 'json_schema', schema } } };
  }
}

test.each(rows)('a tool: $caller to $model', async ({ model, caller, ofTool }) => {
  const schema = at(await door.sentFor(caller, model, { tools: [tool(caller, 'f', NAMED)] }), ofTool);
  expect(schema).toMatchObject(A);
  expect(schema).not.toHaveProperty('$ref');
});

test.each(rows.filter(({ ofAnswer }) => ofAnswer))(
  'an answer: $caller to $model',
  async ({ model, caller, ofAnswer = '' }) => {
    const schema = at(await door.sentFor(caller, model, answerOf(caller, NAMED)), ofAnswer);
    expect(schema).toMatchObject(A);
    expect(schema).not.toHaveProperty('$ref');
  },
);

test.each(rows.filter(({ model }) => model !== GEMINI_SUBSET))(
  'a tree stays one: $caller to $model',
  async ({ model, caller, ofTool }) => {
    const schema = at(await door.sentFor(caller, model, { tools: [tool(caller, 'f', TREE)] }), ofTool);
    expect(schema).toMatchObject({
      type: 'object',
      properties: { of: { items: { $ref: '#/$defs/T' } } },
      $defs: { T: { type: 'object' } },
    });
  },
);

test('names that Anthropic does not take are restored in calls, in a schema behind a reference, too', async () => {
  const odd = { type: 'object', properties: { $top: { type: 'number' } } };
  const schema = { $ref: '#/$defs/odd', $defs: { odd } };
  const sent = await door.sentFor('chat-completions', CLAUDE, {
    tools: [tool('chat-completions', 'f', schema)],
  });
  const [key = ''] = Object.keys(Object(at(sent, 'tools.0.input_schema.properties')));
  expect(key).toMatch(/^[\w.-]+$/);
  const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { [key]: 5 } };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const body = { id: 'msg_1', type: 'message', role: 'assistant', model: 'c', content: [use], usage };
  door.answers({
    type: 'application/json',
    body: JSON.stringify({ ...body, stop_reason: 'tool_use', stop_sequence: null }),
  });
  const answer = await door.whole('chat-completions', CLAUDE, {
    tools: [tool('chat-completions', 'f', schema)],
  });
  expect(at(answer.json, 'choices.0.message.tool_calls.0.function.arguments')).toBe('{"$top":5}');
});

test('a caller of the vendor’s own format keeps its schema', async () => {
  const sent = await door.sentFor('messages', CLAUDE, { tools: [tool('messages', 'f', NAMED)] });
  expect(at(sent, 'tools.0.input_schema')).toEqual(NAMED);
});

/** Definitions were lost on the way (open-webui/computer#87), or never existed (openai/openai-node#978). */
const DANGLING: JsonObject = {
  type: 'object',
  properties: {
    lost: { $ref: '#/$defs/Lost', description: 'L' },
    list: { type: 'array', items: { $ref: '#/definitions/Root/properties/a' } },
    other: { $ref: 'https://a.example/a.json' },
    known: { $ref: '#/$defs/A' },
    any: { $ref: '#/$defs/Any' },
    again: { $ref: '#/properties/known' },
  },
  $defs: { A, Any: true },
};

test.each(rows)('references that lead nowhere: $caller to $model', async ({ model, caller, ofTool }) => {
  const sent = await door.sentFor(caller, model, { tools: [tool(caller, 'f', DANGLING)] });
  expect(at(sent, `${ofTool}.properties.lost.description`)).toBe('L');
  const text = JSON.stringify(at(sent, ofTool));
  for (const lost of ['Lost', 'Root', 'a.example']) expect(text).not.toContain(lost);
  expect(text).toContain('"required":["a"]');
});

test.each(rows.filter(({ ofAnswer }) => ofAnswer))(
  'references that lead nowhere, of an answer: $caller to $model',
  async ({ model, caller, ofAnswer = '' }) => {
    const properties = { lost: { $ref: '#/$defs/Lost' }, a: { type: 'string' } };
    const required = ['lost', 'a'];
    const schema = { type: 'object', properties, required, additionalProperties: false };
    const sent = await door.sentFor(caller, model, answerOf(caller, schema));
    expect(JSON.stringify(sent)).not.toContain('Lost');
    expect(JSON.stringify(at(sent, ofAnswer))).not.toContain('$ref');
  },
);

test.each([
  { $id: 'Node', type: 'object', properties: { of: { type: 'array', items: { $ref: 'Node' } } } },
  { type: 'object', properties: { a: { $anchor: 'a', type: 'string' }, b: { $ref: '#a' } } },
])('a reference by a name stays: %j', async (schema) => {
  const sent = await door.sentFor('messages', GEMINI, { tools: [tool('messages', 'f', schema)] });
  expect(at(sent, 'tools.0.functionDeclarations.0.parametersJsonSchema')).toEqual(schema);
});
