/** Checklist, section 23: schemas that the caller's format allows and a vendor rejects. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import {
  at,
  CALLERS,
  CLAUDE,
  claudeMessage,
  GEMINI,
  KIMI,
  listAt,
  MUSE,
  OPENAI,
  QWEN,
  RESPONDER,
  tool,
  useDoor,
} from './support.ts';

const door = useDoor();
const { sentFor } = door;

describe('checklist 148: no more strict schemas are requested than Anthropic can enforce', () => {
  const schema = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  });
  const many = (count: number, property: JsonObject): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, property]));
  const strictTools = (count: number, parameters: JsonObject): JsonObject[] =>
    Array.from({ length: count }, (_, at) => ({
      type: 'function',
      function: { name: `t${at}`, strict: true, parameters },
    }));
  const nullable = { type: ['string', 'null'] };

  test.each<[string, JsonObject[], boolean]>([
    ['20 tools', strictTools(20, schema({ q: { type: 'string' } })), true],
    ['21 tools', strictTools(21, schema({ q: { type: 'string' } })), false],
    ['16 unions', strictTools(2, schema(many(8, nullable))), true],
    ['18 unions', strictTools(2, schema(many(9, nullable))), false],
    ['24 optional ones', strictTools(1, schema(many(24, { type: 'string' }), [])), true],
    [
      '25 optional ones, some further down',
      strictTools(
        1,
        schema({ ...many(12, {}), list: { type: 'array', items: schema(many(12, {}), []) } }, []),
      ),
      false,
    ],
  ])('checklist 148: %s', async (_, tools, isEnforced) => {
    const sent = await sentFor('chat-completions', CLAUDE, { tools });
    const strict = listAt(sent, 'tools').map((tool) => tool['strict'] === true);
    expect(strict).toEqual(tools.map(() => isEnforced));
  });

  test('checklist 148: a response schema that is too complex is requested in another way', async () => {
    const asked = (count: number): JsonObject => ({
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', strict: true, schema: schema(many(count, nullable)) },
      },
    });
    expect(at(await sentFor('chat-completions', CLAUDE, asked(16)), 'output_config.format.type')).toBe(
      'json_schema',
    );
    const sent = await sentFor('chat-completions', CLAUDE, asked(17));
    expect(sent['output_config']).toBeUndefined();
    expect(at(sent, 'tools.0.input_schema')).toEqual(schema(many(17, nullable)));
    const both = await sentFor('chat-completions', CLAUDE, {
      ...asked(9),
      tools: strictTools(1, schema(many(9, nullable))),
    });
    expect(at(both, 'output_config.format.type')).toBe('json_schema');
    expect(at(both, 'tools.0.strict')).toBeUndefined();
  });
});

describe('checklist 148: schemas that only Anthropic can tell to be too complex are not enforced', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { q: { type: 'string' } },
    required: ['q'],
    additionalProperties: false,
  };
  const tools = [{ type: 'function', function: { name: 't', strict: true, parameters: schema } }];
  const response_format = { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } };
  const isEnforced = ({ tools: list, output_config }: JsonObject): boolean =>
    JSON.stringify([list, output_config]).match(/"strict":true|json_schema/) !== null;

  const COMPLEX = 'Schema is too complex for compilation. Try reducing the number of tools.';
  const LARGE = 'The compiled grammar is too large. Reduce the number of strict tools.';

  // The sentences of mozilla/bugbug#6234 and anthropics/anthropic-sdk-python#1185, and one of the vendor's guide.
  test.each([
    ['a tool that is too complex', COMPLEX, { tools }],
    ['an answer that is too complex', COMPLEX, { response_format }],
    ['a tool that is too large', LARGE, { tools }],
    ['an answer that is too large', LARGE, { response_format }],
    ['both, which take too long', 'Grammar compilation timed out.', { response_format, tools }],
  ])('checklist 148: %s', async (_, message, asked) => {
    const sent: JsonObject[] = [];
    door.answers((_, response) => {
      sent.push(door.sent());
      const isRefused = isEnforced(door.sent());
      response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
      const refusal = { type: 'error', error: { type: 'invalid_request_error', message } };
      response.end(
        JSON.stringify(isRefused ? refusal : claudeMessage([{ type: 'text', text: '{}' }], 'end_turn')),
      );
    });
    const thinking = { reasoning_effort: 'low', max_tokens: 5000 };
    const { status } = await door.whole('chat-completions', CLAUDE, { ...thinking, ...asked });
    expect(status).toBe(200);
    expect(sent.map(isEnforced)).toEqual([true, false]);
    expect(sent[1]).toHaveProperty('thinking', sent[0]?.['thinking']);
    expect(sent[0]?.['thinking']).toBeDefined();
  });
});

describe('checklist 150: the parameters of a function are complete enough for OpenAI', () => {
  const asked = (input_schema: JsonObject): JsonObject => ({ tools: [{ name: 'a', input_schema }] });
  const array = { type: 'array' };

  test.each([
    [OPENAI, 'tools.0.function.parameters'],
    ['openai/gpt-5.4', 'tools.0.parameters'],
    [QWEN, 'tools.0.function.parameters'],
  ])('checklist 150: to %s', async (model, field) => {
    const sent = async (schema: JsonObject) => at(await sentFor('messages', model, asked(schema)), field);
    expect(await sent({ type: 'object' })).toEqual({ type: 'object', properties: {} });
    const properties = {
      type: array,
      many: { anyOf: [{ type: ['array', 'null'] }, { type: 'string' }] },
      deep: { type: 'object', additionalProperties: { ...array, items: array } },
      free: { type: 'object' },
      enum: { enum: ['array'], default: array },
    };
    expect(await sent({ type: 'object', properties, $defs: { list: array } })).toEqual({
      type: 'object',
      properties: {
        type: { ...array, items: {} },
        many: { anyOf: [{ type: ['array', 'null'], items: {} }, { type: 'string' }] },
        deep: { type: 'object', additionalProperties: { ...array, items: { ...array, items: {} } } },
        free: { type: 'object' },
        enum: { enum: ['array'], default: array },
      },
      $defs: { list: { ...array, items: {} } },
    });
  });
});

/** A tool with this schema, in the caller's format. */
function taking(schema: JsonObject, from: 'chat-completions' | 'messages'): JsonObject {
  return from === 'messages'
    ? { name: 'a', input_schema: schema }
    : { type: 'function', function: { name: 'a', parameters: schema } };
}

describe('checklist 167: a function whose patterns are written for JavaScript reaches OpenAI', () => {
  // From a tool that Claude Code sends with every turn.
  const foreign = '^(?!__.*__$)[^\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}"\\\\./[\\]]{1,200}$';
  const schema = {
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: foreign, maxLength: 200 },
      slug: { type: 'string', pattern: '^[a-z][\\w-]*\\.(?:tmp)?\\u0041[(?=]$' },
      // The pattern of Claude Code's tool, and the one of zod for `z.email()`.
      paths: { type: 'array', items: { type: 'string', pattern: '^[^\\0]*$', minLength: 1 } },
      email: { type: 'string', format: 'email', pattern: "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+]+)@[a-z]+$" },
      behind: { type: 'string', pattern: '(?<=a)b|(?<!a)c' },
      twice: { type: 'string', pattern: '^(["`]).*\\1$' },
      class: { type: 'string', pattern: '^[^[]*$' },
      // An escaped bracket neither begins a class nor ends one.
      bracket: { type: 'string', pattern: '\\[(?=a)' },
      classes: { type: 'string', pattern: '[\\](?=]' },
      name: { anyOf: [{ type: 'string', pattern: '(?<first>.)' }, { type: 'null' }] },
      map: {
        type: 'object',
        propertyNames: { pattern: '\\cA' },
        patternProperties: { '\\p{L}': {}, '^x-': {} },
      },
      nothing: { type: 'array', items: { type: 'string', pattern: '[^]' }, default: { pattern: '\\p' } },
    },
  };
  const read = {
    type: 'object',
    properties: {
      pattern: { type: 'string', maxLength: 200 },
      slug: schema.properties.slug,
      paths: { type: 'array', items: { type: 'string', minLength: 1 } },
      email: { type: 'string', format: 'email' },
      behind: { type: 'string' },
      twice: { type: 'string' },
      class: { type: 'string' },
      bracket: { type: 'string' },
      classes: schema.properties.classes,
      name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      map: { type: 'object', propertyNames: {}, patternProperties: { '^x-': {} } },
      nothing: { type: 'array', items: { type: 'string' }, default: { pattern: '\\p' } },
    },
  };

  test.each([
    [OPENAI, 'tools.0.function.parameters', read],
    ['openai/gpt-5.4', 'tools.0.parameters', read],
    [QWEN, 'tools.0.function.parameters', read],
    [CLAUDE, 'tools.0.input_schema', schema],
    [GEMINI, 'tools.0.functionDeclarations.0.parametersJsonSchema', schema],
  ])('checklist 167: to %s', async (model, field, expected) => {
    const from = model === CLAUDE ? 'chat-completions' : 'messages';
    expect(at(await sentFor(from, model, { tools: [taking(schema, from)] }), field)).toEqual(expected);
  });

  test.each([
    [OPENAI, 'response_format.json_schema'],
    ['openai/gpt-5.4', 'text.format'],
    [QWEN, 'response_format.json_schema'],
  ])('checklist 167: a response schema, from %s', async (model, field) => {
    const form = (pattern: object): JsonObject => ({
      type: 'object',
      properties: { email: { type: 'string', ...pattern } },
      required: ['email'],
      additionalProperties: false,
    });
    const asked = form({ pattern: schema.properties.email.pattern });
    const sent = await sentFor('messages', model, {
      output_config: { format: { type: 'json_schema', schema: asked } },
    });
    expect(at(sent, field)).toMatchObject({ strict: true });
    expect(at(sent, `${field}.schema`)).toEqual(form({}));
  });
});

describe('checklist 175: a function described in an older draft of JSON Schema reaches every vendor', () => {
  // The `z.tuple` of an MCP server, and keywords of earlier drafts.
  const schema = {
    type: 'object',
    properties: {
      pages: {
        type: 'array',
        minItems: 2,
        maxItems: 2,
        items: [{ type: 'integer' }, { type: 'array', items: [] }],
      },
      rest: {
        anyOf: [{ type: 'array', items: [{}], additionalItems: { type: 'string' } }, { type: 'null' }],
      },
      one: { type: 'array', items: [{ type: 'string' }], additionalItems: false },
      above: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      new: { type: 'number', exclusiveMinimum: 0, required: true },
      items: { type: 'string', enum: ['a'], default: { items: [1] } },
    },
    required: ['pages'],
  };
  const newest = {
    type: 'object',
    properties: {
      pages: {
        type: 'array',
        minItems: 2,
        maxItems: 2,
        prefixItems: [{ type: 'integer' }, { type: 'array', items: {} }],
        items: {},
      },
      rest: { anyOf: [{ type: 'array', prefixItems: [{}], items: { type: 'string' } }, { type: 'null' }] },
      one: { type: 'array', prefixItems: [{ type: 'string' }], items: {}, maxItems: 1 },
      above: { type: 'number', exclusiveMinimum: 0, maximum: 9 },
      new: { type: 'number', exclusiveMinimum: 0 },
      items: { type: 'string', enum: ['a'], default: { items: [1] } },
    },
    required: ['pages'],
  };

  test.each([
    [OPENAI, 'tools.0.function.parameters', 'messages'],
    ['openai/gpt-5.4', 'tools.0.parameters', 'messages'],
    [QWEN, 'tools.0.function.parameters', 'messages'],
    [CLAUDE, 'tools.0.input_schema', 'chat-completions'],
    [GEMINI, 'tools.0.functionDeclarations.0.parametersJsonSchema', 'chat-completions'],
  ] as const)('checklist 175: to %s', async (model, field, from) => {
    expect(at(await sentFor(from, model, { tools: [taking(schema, from)] }), field)).toEqual(newest);
  });

  // The AI SDK's form of a Zod tuple.
  const form = (from: 'chat-completions' | 'messages'): JsonObject => ({
    ...(from === 'messages' && { output_config: { format: { type: 'json_schema', schema } } }),
    ...(from === 'chat-completions' && {
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } },
    }),
  });

  test.each([
    [OPENAI, 'response_format.json_schema.schema', 'messages'],
    ['openai/gpt-5.4', 'text.format.schema', 'messages'],
    [RESPONDER, 'text.format.schema', 'chat-completions'],
    [GEMINI, 'generationConfig.responseJsonSchema', 'chat-completions'],
    // It cannot enforce a tuple.
    [CLAUDE, 'tools.0.input_schema', 'chat-completions'],
  ] as const)('checklist 175: a response schema, to %s', async (model, field, from) => {
    expect(at(await sentFor(from, model, form(from)), field)).toEqual(newest);
  });

  test('checklist 175: a schema that the newest draft cannot express is not strict', async () => {
    const pair = { type: 'array', items: [{ type: 'string' }, { type: 'number' }] };
    const closed = { type: 'object', properties: { pair }, required: ['pair'], additionalProperties: false };
    const output_config = { format: { type: 'json_schema', schema: closed } };
    const byChat = await sentFor('messages', OPENAI, { output_config });
    expect(at(byChat, 'response_format.json_schema')).not.toHaveProperty('strict');
    const tools = [{ name: 'f', input_schema: closed, strict: true }];
    expect(at(await sentFor('messages', OPENAI, { tools }), 'tools.0.function')).not.toHaveProperty('strict');
  });
});

describe('checklist 209: a keyword with the value null is ignored', () => {
  // As programs in Go write absent values.
  const schema = {
    type: 'object',
    description: null,
    properties: {
      one: { type: 'string', enum: null, format: null, default: null },
      two: { type: 'object', properties: null, required: null, additionalProperties: null },
      three: { type: 'array', items: null },
      required: { const: null },
    },
    required: null,
  };
  const said = (items: JsonObject): JsonObject => ({
    type: 'object',
    properties: {
      one: { type: 'string', default: null },
      two: { type: 'object' },
      three: { type: 'array', ...items },
      required: { const: null },
    },
  });

  test.each([
    [OPENAI, 'tools.0.function.parameters', 'messages'],
    ['openai/gpt-5.4', 'tools.0.parameters', 'messages'],
    [QWEN, 'tools.0.function.parameters', 'messages'],
    [CLAUDE, 'tools.0.input_schema', 'chat-completions'],
    [GEMINI, 'tools.0.functionDeclarations.0.parametersJsonSchema', 'chat-completions'],
  ] as const)('checklist 209: to %s', async (model, field, from) => {
    const sent = at(await sentFor(from, model, { tools: [taking(schema, from)] }), field);
    const isWhole = model !== CLAUDE && model !== GEMINI;
    expect(sent).toEqual(said(isWhole ? { items: {} } : {}));
  });

  test.each([
    [CLAUDE, 'tools.0.input_schema', { type: 'object', properties: {} }],
    [GEMINI, 'tools.0.functionDeclarations.0.parametersJsonSchema', { type: 'object' }],
  ])('checklist 209: of a function without parameters, to %s', async (model, field, expected) => {
    const nothing = taking({ type: 'object', properties: null, required: null }, 'chat-completions');
    expect(at(await sentFor('chat-completions', model, { tools: [nothing] }), field)).toEqual(expected);
  });
});

describe('checklist 214: a parameter with the name of a keyword is not a keyword for xAI', () => {
  // As Notion's MCP server describes a page.
  const city = { type: 'object', properties: { city: { type: 'string' } } };
  const page = (closed: JsonObject): JsonObject => ({
    type: 'object',
    properties: {
      properties: { ...city, ...closed },
      pages: { type: 'array', items: { type: 'object', properties: { properties: { ...city, ...closed } } } },
      additionalProperties: { type: 'boolean' },
    },
    additionalProperties: false,
  });
  const closed = { additionalProperties: false };

  test.each([
    ['x-ai/grok-4.6', 'tools.0.parameters', {}],
    ['openrouter/a-model', 'tools.0.function.parameters', {}],
    [QWEN, 'tools.0.function.parameters', closed],
  ])('checklist 214: to %s', async (model, field, expected) => {
    const sent = await sentFor('messages', model, { tools: [taking(page(closed), 'messages')] });
    expect(at(sent, field)).toEqual(page(expected));
  });

  test('checklist 214: a schema of a property stays', async () => {
    const open = page({ additionalProperties: { type: 'string' } });
    const sent = await sentFor('messages', 'x-ai/grok-4.6', { tools: [taking(open, 'messages')] });
    expect(at(sent, 'tools.0.parameters')).toEqual(open);
  });
});

describe('checklist 192: a schema follows the rules of Moonshot', () => {
  // As pydantic and zod write parameters of an MCP server.
  const parameters = {
    type: 'object',
    properties: {
      path: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
      mode: { enum: ['fast', 'exact'], description: 'How.' },
      tags: { type: ['array', 'null'], items: { type: 'string' } },
      where: { $ref: '#/definitions/Place', description: 'Where.' },
      either: { type: 'string', oneOf: [{ format: 'date' }, { format: 'time' }] },
    },
    required: ['path', 'gone'],
    definitions: { Place: { type: 'object', properties: { city: { type: 'string' } } } },
  };
  const sent = {
    type: 'object',
    properties: {
      path: parameters.properties.path,
      mode: { type: 'string', enum: ['fast', 'exact'], description: 'How.' },
      tags: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
      where: { $ref: '#/$defs/Place', description: 'Where.' },
      either: {
        anyOf: [
          { type: 'string', format: 'date' },
          { type: 'string', format: 'time' },
        ],
      },
    },
    required: ['path'],
    $defs: parameters.definitions,
  };

  test.each(['messages', 'responses'] as const)('checklist 192: from %s', async (from) => {
    const tools = [tool(from, 'f', parameters)];
    expect(at(await sentFor(from, KIMI, { tools }), 'tools.0.function.parameters')).toEqual(sent);
  });

  test('checklist 192: a response schema too', async () => {
    const format = { type: 'json_schema', name: 'n', schema: parameters };
    const { response_format } = await sentFor('responses', KIMI, { text: { format } });
    expect(at(response_format, 'json_schema.schema')).toEqual(sent);
  });
});

describe('checklist 245: a recursive schema', () => {
  // As in Codex's own tools and in MCP servers for databases.
  const value = (held: JsonObject): JsonObject => ({
    type: 'object',
    properties: { value: { $ref: '#/$defs/Value' } },
    $defs: { Value: { anyOf: [{ type: 'string' }, { type: 'array', items: held }] } },
  });
  const given = value({ $ref: '#/$defs/Value' });

  test.each(CALLERS.filter((from) => from !== 'chat-completions'))(
    'checklist 245: is cut for Meta where it does, of a %s caller',
    async (from) => {
      const sent = await sentFor(from, MUSE, { tools: [tool(from, 'f', given)] });
      const place = from === 'messages' ? 'tools.0.parameters' : 'tools.0.function.parameters';
      expect(at(sent, place)).toEqual(value({}));
    },
  );

  test('checklist 245: also for a response', async () => {
    const format = { type: 'json_schema', name: 'value', schema: given };
    const sent = await sentFor('responses', MUSE, { text: { format } });
    expect(JSON.stringify(sent).split('#/$defs/Value')).toHaveLength(2);
  });

  test('checklist 245: stays unchanged for others', async () => {
    const sent = await sentFor('messages', QWEN, { tools: [taking(given, 'messages')] });
    expect(at(sent, 'tools.0.function.parameters')).toEqual(given);
  });
});
