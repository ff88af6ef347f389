/** Checklist, section 23: names and unions of parameters that the caller's format allows and a vendor rejects. */

import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../src/lib/json.ts';
import {
  at,
  CLAUDE,
  cityTool,
  claudeBoth,
  claudeStream,
  GEMINI,
  OPENAI,
  QWEN,
  tool,
  useDoor,
} from './support.ts';

const door = useDoor();
const { sentFor } = door;

function objectAt(value: JsonObject, path: string): JsonObject {
  const found = at(value, path);
  if (!isObject(found)) throw new TypeError(`There is no object at ${path}`);
  return found;
}

describe('checklist 152: parameters of a tool may have any name', () => {
  const long = 'a'.repeat(65);
  const properties = {
    $top: { type: 'integer' },
    'filter[id]': {},
    [long]: {},
    'a.b-c_1': { title: '$top' },
  };
  const tools = [
    tool('chat-completions', 'list', { type: 'object', properties, required: ['$top', 'a.b-c_1'] }),
    tool('chat-completions', 'plain', { type: 'object', properties: { $: { not: {} } } }),
    cityTool('chat-completions'),
  ];
  const declared = async (): Promise<JsonObject> => {
    const sent = await sentFor('chat-completions', CLAUDE, { tools });
    return objectAt(sent, 'tools.0.input_schema');
  };

  test('checklist 152: Anthropic gets names that it accepts, the same ones every time', async () => {
    const schema = await declared();
    const names = Object.keys(objectAt(schema, 'properties'));
    expect(names).toHaveLength(4);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
    expect(schema['required']).toEqual([names[0], 'a.b-c_1']);
    expect(Object.values(objectAt(schema, 'properties'))).toEqual(Object.values(properties));
    expect(await declared()).toEqual(schema);
  });

  test.each(['whole', 'stream'] as const)(
    'checklist 152: and the caller gets its own names back, %s',
    async (way) => {
      const [top = '', filter = '', other = ''] = Object.keys(objectAt(await declared(), 'properties'));
      const id = 12;
      const uses = [
        { type: 'tool_use', id: 'toolu_1', name: 'list', input: { [top]: id, [filter]: { [top]: 'x' } } },
        { type: 'tool_use', id: 'toolu_2', name: 'list', input: { [other]: 1, $top: 2, 'a.b-c_1': 3 } },
        { type: 'tool_use', id: 'toolu_3', name: 'list', input: {} },
        { type: 'tool_use', id: 'toolu_4', name: 'get_weather', input: { city: 'Ulm' } },
      ];
      door.answers(claudeBoth(uses, 'tool_use')[way]);
      const answer = await door[way]('chat-completions', CLAUDE, { tools });
      const calls = answer
        .reply()
        .choices[0]?.parts.map((part) => (part.kind === 'tool-call' ? part.arguments : ''));
      expect(calls).toEqual([
        JSON.stringify({ $top: id, 'filter[id]': { [top]: 'x' } }),
        JSON.stringify({ [long]: 1, $top: 2, 'a.b-c_1': 3 }),
        '{}',
        '{"city":"Ulm"}',
      ]);
    },
  );

  test('checklist 152: every digit is kept, and truncated arguments are passed on unchanged', async () => {
    const [top = ''] = Object.keys(objectAt(await declared(), 'properties'));
    const start = { type: 'tool_use', id: 'toolu_1', name: 'list', input: {} };
    const piece = (text: string): JsonObject => ({ type: 'input_json_delta', partial_json: text });
    const argumentsOf = async (...texts: string[]) => {
      door.answers(claudeStream([[start, ...texts.map(piece)]], 'max_tokens'));
      const part = (await door.stream('chat-completions', CLAUDE, { tools })).reply().choices[0]?.parts[0];
      return part?.kind === 'tool-call' && part.arguments;
    };
    expect(await argumentsOf(`{"${top}":1234567`, '8901234567890}')).toBe('{"$top":12345678901234567890}');
    expect(await argumentsOf(`{"${top}":12`)).toBe(`{"${top}":12`);
  });

  test.each(['whole', 'stream'] as const)(
    'checklist 152: one of several objects gets its own names back, too, %s',
    async (way) => {
      const anyOf = [
        { type: 'object', properties },
        { type: 'object', properties: { b: {} } },
      ];
      const union = { tools: [tool('chat-completions', 'list', { anyOf })] };
      const sent = await sentFor('chat-completions', CLAUDE, union);
      const [top = ''] = Object.keys(objectAt(sent, 'tools.0.input_schema.properties'));
      const use = { type: 'tool_use', id: 'toolu_1', name: 'list', input: { [top]: 12 } };
      door.answers(claudeBoth([use], 'tool_use')[way]);
      const [choice] = (await door[way]('chat-completions', CLAUDE, union)).reply().choices;
      expect(choice?.parts).toMatchObject([{ kind: 'tool-call', arguments: '{"$top":12}' }]);
    },
  );

  describe('checklist 152: so may the properties of a response schema that uses a tool', () => {
    const schema = {
      type: 'object',
      properties: { Größe: { type: 'array', items: [{ type: 'string' }] }, rest: { type: 'object' } },
      required: ['Größe'],
      anyOf: [{ required: ['rest'] }, { title: 'or without' }],
    };
    const asked = { response_format: { type: 'json_schema', json_schema: { name: 'thing', schema } } };

    test.each(['whole', 'stream'] as const)('checklist 152: %s', async (way) => {
      const sent = await sentFor('chat-completions', CLAUDE, asked);
      expect(at(sent, 'tools.0.input_schema')).not.toHaveProperty('anyOf');
      const fields = objectAt(sent, 'tools.0.input_schema.properties');
      const [size = ''] = Object.keys(fields);
      expect(size).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
      expect(fields[size]).toMatchObject({ prefixItems: [{ type: 'string' }] });
      expect(at(sent, 'tools.0.input_schema.required')).toEqual([size]);
      const name = at(sent, 'tools.0.name') ?? null;
      const use = { type: 'tool_use', id: 'toolu_1', name, input: { [size]: ['L'], rest: {} } };
      door.answers(claudeBoth([use], 'tool_use')[way]);
      const [choice] = (await door[way]('chat-completions', CLAUDE, asked)).reply().choices;
      expect(choice?.parts).toEqual([{ kind: 'text', text: '{"Größe":["L"],"rest":{}}' }]);
    });
  });
});

describe('checklist 158: the parameters of a tool may be one of several objects', () => {
  const branch = (mode: string, name: string, required: string[]): JsonObject => ({
    type: 'object',
    properties: { mode: { const: mode }, [name]: { type: 'string' } },
    required: ['mode', ...required],
    additionalProperties: false,
  });
  const create = branch('create', 'title', ['title']);
  const remove = branch('delete', 'id', []);
  /** As Gemini gets it, which ignores `const`. */
  const withEnum = (schema: JsonObject): JsonObject => {
    const properties = objectAt(schema, 'properties');
    return {
      ...schema,
      properties: { ...properties, mode: { enum: [at(properties, 'mode.const') ?? null] } },
    };
  };
  const declared = async (model: string, parameters: JsonObject, field: string): Promise<JsonObject> => {
    const tools = [tool('responses', 'f', parameters)];
    return objectAt(await sentFor('responses', model, { tools }), field);
  };
  /** `create` and `remove` merged into one object. */
  const both = {
    properties: {
      mode: { anyOf: [{ const: 'create' }, { const: 'delete' }] },
      title: { type: 'string' },
      id: { type: 'string' },
    },
    required: ['mode'],
    additionalProperties: false,
  };
  const ofClaude = (parameters: JsonObject): Promise<JsonObject> =>
    declared(CLAUDE, parameters, 'tools.0.input_schema');

  test.each(['oneOf', 'anyOf'])(
    'checklist 158: Anthropic gets one object with all of them (%s)',
    async (key) => {
      const choice = [create, { $ref: '#/$defs/remove' }, { type: 'null' }];
      const $defs = { remove };
      const told = JSON.stringify(choice);
      expect(await ofClaude({ description: 'What to do.', $defs, [key]: choice })).toEqual({
        type: 'object',
        description: `What to do.\n\n{${key}: ${told}}`,
        $defs,
        ...both,
      });
    },
  );

  test('checklist 158: keywords of the root stay, and all of allOf applies', async () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } };
    const either = [{ required: ['a'] }, { required: ['b'] }];
    expect(await ofClaude({ type: 'object', properties, anyOf: either })).toEqual({
      type: 'object',
      properties,
      description: '{anyOf: [{"required":["a"]},{"required":["b"]}]}',
    });
    const all = [{ properties: { c: { type: 'integer' } }, required: ['c'] }, { allOf: either }];
    expect(await ofClaude({ type: 'object', properties, required: ['b'], allOf: all })).toEqual({
      type: 'object',
      properties: { ...properties, c: { type: 'integer' } },
      required: ['b', 'c', 'a'],
    });
  });

  test('checklist 158: a recursive one does no harm', async () => {
    const again = Array.from({ length: 50 }, () => ({ $ref: '#/$defs/again' }));
    const $defs = { again: { properties: { a: {} }, anyOf: again } };
    expect(await ofClaude({ $defs, anyOf: again })).toMatchObject({ type: 'object', properties: { a: {} } });
  });

  test.each([
    [OPENAI, 'tools.0.function.parameters'],
    ['openai/o3', 'tools.0.parameters'],
    ['openrouter/a-model', 'tools.0.function.parameters'],
    ['x-ai/grok-4.6', 'tools.0.parameters'],
  ])('checklist 158: so is %s', async (model, field) => {
    const tools = (parameters: JsonObject): JsonObject => ({ tools: [tool('messages', 'f', parameters)] });
    const ofTool = async (parameters: JsonObject): Promise<JsonObject> =>
      objectAt(await sentFor('messages', model, tools(parameters)), field);
    expect(await ofTool({ oneOf: [create, remove] })).toEqual({
      type: 'object',
      description: `{oneOf: ${JSON.stringify([create, remove])}}`,
      ...both,
    });
    const properties = { a: { type: 'string' }, b: { type: 'string' } };
    const not = { required: ['a', 'b'] };
    expect(await ofTool({ type: 'object', description: 'One.', properties, not })).toEqual({
      type: 'object',
      description: `One.\n\n{not: ${JSON.stringify(not)}}`,
      properties,
    });
  });

  test('checklist 158: through responses, OpenAI accepts it from GPT-5 on', async () => {
    const union = { type: 'object', oneOf: [create, remove], properties: {} };
    const tools = [tool('messages', 'f', union)];
    expect(at(await sentFor('messages', 'openai/gpt-5.4', { tools }), 'tools.0.parameters')).toEqual(union);
  });

  test.each([
    [QWEN, 'tools.0.function.parameters', { oneOf: [create, remove], properties: {} }],
    [
      GEMINI,
      'tools.0.functionDeclarations.0.parametersJsonSchema',
      { oneOf: [withEnum(create), withEnum(remove)] },
    ],
  ])('checklist 158: to %s, the root has the type object', async (model, field, sent) => {
    const union = { oneOf: [create, remove] };
    expect(await declared(model, union, field)).toEqual({ type: 'object', ...sent });
    const nullable = { type: ['object', 'null'], properties: { a: {} } };
    expect(await declared(model, nullable, field)).toEqual({ type: 'object', properties: { a: {} } });
    const untyped = { properties: { a: {} } };
    expect(await declared(model, untyped, field)).toEqual({ type: 'object', ...untyped });
  });
});
