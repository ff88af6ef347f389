/** Checklist, section 23: what a caller's own format takes and a vendor refuses. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asObject, isObject, type JsonObject, parseJson } from '../../src/json.ts';
import { FIXTURES } from '../support/recording.ts';
import {
  at,
  CALLERS,
  type Caller,
  CLAUDE,
  CLAUDE_ADAPTIVE,
  cityTool,
  claudeBoth,
  claudeStream,
  completion,
  GEMINI,
  GEMINI_3,
  KIMI,
  listAt,
  OPENAI,
  QWEN,
  RESPONDER,
  tool,
  useDoor,
} from './support.ts';

const door = useDoor();
const { sentFor } = door;

describe('checklist 145: an image goes by the type its vendor knows it by', () => {
  const JPEG = '/9j/4AAQSkZJRg==';
  const image = (type: string, data: string): JsonObject => ({
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }] },
    ],
  });

  test.each([
    ['image/png', JPEG, 'image/jpeg'],
    ['image/jpeg', 'iVBORw0KGgo=', 'image/png'],
    ['image/jpg', JPEG, 'image/jpeg'],
    ['application/octet-stream', JPEG, 'image/jpeg'],
    ['image/webp', 'AAAA', 'image/webp'],
  ])('checklist 145: to Anthropic, %s that begins as %s does', async (said, data, type) => {
    const sent = await sentFor('chat-completions', CLAUDE, image(said, data));
    expect(at(sent, 'messages.0.content.0.source')).toEqual({ type: 'base64', media_type: type, data });
  });

  test.each(['image/jpg', 'IMAGE/JPEG', 'application/octet-stream', ''])(
    "checklist 145: to Google, '%s' by its registered name",
    async (said) => {
      const sent = await sentFor('chat-completions', GEMINI, image(said, JPEG));
      expect(at(sent, 'contents.0.parts.0.inlineData')).toEqual({ mimeType: 'image/jpeg', data: JPEG });
    },
  );
});

describe('checklist 146: a user is told to Anthropic by a name it takes', () => {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const long = 'u'.repeat(257);

  test.each<[string, JsonObject, string]>([
    ['a name of its own', { user: 'team-7_user 42' }, 'team-7_user 42'],
    ['one in the metadata', { metadata: { user_id: 'abc', run: '7' } }, 'abc'],
    ['an address', { user: 'jane.doe@example.com' }, hash('jane.doe@example.com')],
    ['a safety identifier', { safety_identifier: 'jane@example.com' }, hash('jane@example.com')],
    ['a number', { user: '+49 (170) 123-4567' }, hash('+49 (170) 123-4567')],
    ['a long one', { user: long }, hash(long)],
  ])('checklist 146: %s', async (_, more, name) => {
    expect((await sentFor('chat-completions', CLAUDE, more))['metadata']).toEqual({ user_id: name });
  });
});

describe('checklist 147: a limit beyond what the model can write is what it can write', () => {
  test.each([
    [CLAUDE, 'max_tokens', 64_000],
    [GEMINI, 'generationConfig.maxOutputTokens', 65_536],
  ])('checklist 147: %s', async (model, field, most) => {
    for (const [asked, sent] of [
      [200_000, most],
      [7, 7],
    ]) {
      expect(at(await sentFor('chat-completions', model, { max_tokens: asked }), field)).toBe(sent);
      expect(at(await sentFor('responses', model, { max_output_tokens: asked }), field)).toBe(sent);
    }
  });

  test('checklist 147: from messages', async () => {
    const sent = await sentFor('messages', OPENAI, { max_tokens: 200_000 });
    expect(sent['max_completion_tokens']).toBe(16_384);
    const thinking = await sentFor('messages', 'openai/gpt-5.4', { max_tokens: 200_000 });
    expect(thinking['max_output_tokens']).toBe(128_000);
  });
});

describe('checklist 148: no more is asked to be enforced than Anthropic can', () => {
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

  test('checklist 148: a schema of the answer that is too much is asked for in another way', async () => {
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

describe('checklist 149: Gemini is sent no penalty it refuses', () => {
  const penalties = { frequency_penalty: 0.5, presence_penalty: -0.1 };

  test.each([
    [GEMINI, undefined],
    [GEMINI_3, undefined],
    ['google/gemini-4-argon', undefined],
    ['google/gemini-2.0-flash', { frequencyPenalty: 0.5, presencePenalty: -0.1 }],
  ])('checklist 149: penalties to %s', async (model, config) => {
    expect((await sentFor('chat-completions', model, penalties))['generationConfig']).toEqual(config);
  });
});

describe('checklist 149: Gemini 4 is told no level it refuses', () => {
  test.each([
    ['google/gemini-4-argon', 'none', 'LOW'],
    ['google/gemini-4-argon', 'minimal', 'LOW'],
    ['google/gemini-4-argon', 'xhigh', 'HIGH'],
    ['google/gemini-4-hydrogen', 'xhigh', 'XHIGH'],
    ['google/gemini-4-neon', 'max', 'XHIGH'],
  ])('checklist 149: %s, asked for %s: %s', async (model, reasoning_effort, level) => {
    const sent = await sentFor('chat-completions', model, { reasoning_effort });
    expect(at(sent, 'generationConfig.thinkingConfig.thinkingLevel')).toBe(level);
    expect(at(sent, 'generationConfig.thinkingConfig.thinkingBudget')).toBeUndefined();
  });
});

describe('checklist 218: a seed of any size reaches Gemini', () => {
  test.each([
    [7, 7],
    [-7, -7],
    [2_147_483_647, 2_147_483_647],
    [2_147_483_648, -2_147_483_648],
    [3_898_845_386, -396_121_910],
    [9_007_199_254_740_991, -1],
  ])('checklist 218: %d', async (seed, expected) => {
    const sent = await sentFor('chat-completions', GEMINI, { seed });
    expect(at(sent, 'generationConfig.seed')).toBe(expected);
  });
});

describe('checklist 150: the parameters of a function are whole enough for OpenAI', () => {
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

/** A tool that takes what a schema says, in the caller's words. */
function taking(schema: JsonObject, from: 'chat-completions' | 'messages'): JsonObject {
  return from === 'messages'
    ? { name: 'a', input_schema: schema }
    : { type: 'function', function: { name: 'a', parameters: schema } };
}

describe('checklist 167: a function whose patterns are written for JavaScript reaches OpenAI', () => {
  // Of a tool that Claude Code brings to every turn.
  const foreign = '^(?!__.*__$)[^\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}"\\\\./[\\]]{1,200}$';
  const schema = {
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: foreign, maxLength: 200 },
      slug: { type: 'string', pattern: '^[a-z][\\w-]*\\.(?:tmp)?\\u0041[(?=]$' },
      // What Claude Code's has instead of it, and what zod writes for `z.email()`.
      paths: { type: 'array', items: { type: 'string', pattern: '^[^\\0]*$', minLength: 1 } },
      email: { type: 'string', format: 'email', pattern: "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+]+)@[a-z]+$" },
      behind: { type: 'string', pattern: '(?<=a)b|(?<!a)c' },
      twice: { type: 'string', pattern: '^(["`]).*\\1$' },
      class: { type: 'string', pattern: '^[^[]*$' },
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
  ])('checklist 167: an answer of that form, from %s', async (model, field) => {
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
  // As an MCP server's `z.tuple` is written, and bounds and demands of drafts before that.
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

  // As the AI SDK writes what Zod calls a tuple.
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
    // Which enforces no tuple.
    [CLAUDE, 'tools.0.input_schema', 'chat-completions'],
  ] as const)('checklist 175: the form of an answer, to %s', async (model, field, from) => {
    expect(at(await sentFor(from, model, form(from)), field)).toEqual(newest);
  });

  test('checklist 175: none is asked to be enforced that cannot be in the newest draft', async () => {
    const pair = { type: 'array', items: [{ type: 'string' }, { type: 'number' }] };
    const closed = { type: 'object', properties: { pair }, required: ['pair'], additionalProperties: false };
    const output_config = { format: { type: 'json_schema', schema: closed } };
    const byChat = await sentFor('messages', OPENAI, { output_config });
    expect(at(byChat, 'response_format.json_schema')).not.toHaveProperty('strict');
    const tools = [{ name: 'f', input_schema: closed, strict: true }];
    expect(at(await sentFor('messages', OPENAI, { tools }), 'tools.0.function')).not.toHaveProperty('strict');
  });
});

describe('checklist 209: a keyword of a schema that is null says nothing', () => {
  // As programs in Go write what they leave out.
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

describe('checklist 214: a parameter that is named as a keyword is no keyword to xAI', () => {
  // As Notion's server describes a page.
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

  test('checklist 214: what a property may hold by a schema stays', async () => {
    const open = page({ additionalProperties: { type: 'string' } });
    const sent = await sentFor('messages', 'x-ai/grok-4.6', { tools: [taking(open, 'messages')] });
    expect(at(sent, 'tools.0.parameters')).toEqual(open);
  });
});

describe('checklist 151: a conversation may end with the assistant', () => {
  const said = (role: string, text: string): JsonObject => ({ role, content: [{ type: 'text', text }] });
  const messages = [
    { role: 'user', content: 'Tell me.' },
    { role: 'assistant', content: 'Once upon' },
  ];
  const written = [said('user', 'Tell me.'), said('assistant', 'Once upon')];

  test.each([
    [CLAUDE, written],
    [CLAUDE_ADAPTIVE, [...written, said('user', 'Continue.')]],
  ])('checklist 151: to %s', async (model, expected) => {
    expect((await sentFor('chat-completions', model, { messages }))['messages']).toEqual(expected);
    expect((await sentFor('responses', model, { input: messages }))['messages']).toEqual(expected);
  });

  test('checklist 151: to Claude, where its answer is to follow a schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const response_format = { type: 'json_schema', json_schema: { name: 'story', schema } };
    const sent = await sentFor('chat-completions', CLAUDE, { messages, response_format });
    expect(sent['messages']).toEqual([...written, said('user', 'Continue.')]);
    expect(sent).toHaveProperty('output_config.format.type', 'json_schema');
  });

  const spoken = (role: string, text: string): JsonObject => ({ role, parts: [{ text }] });
  const contents = [spoken('user', 'Tell me.'), spoken('model', 'Once upon')];

  test.each<readonly [string, readonly JsonObject[]]>([
    [GEMINI, contents],
    [GEMINI_3, contents],
    ['google/gemini-3.5-flash', contents],
    ...['3.5-flash-lite', '3.6-flash', '3.7-flash', '3.8-flash', '4-argon'].map(
      (name) => [`google/gemini-${name}`, [...contents, spoken('user', 'Continue.')]] as const,
    ),
  ])('checklist 151: to %s', async (model, expected) => {
    for (const [from, more] of [
      ['chat-completions', { messages }],
      ['responses', { input: messages }],
      ['messages', { messages }],
    ] as const) {
      expect((await sentFor(from, model, more))['contents']).toEqual(expected);
    }
  });

  test('checklist 151: it does not where the system has the last word', async () => {
    const remark = { role: 'system', content: 'Be quick.' };
    const said = ['<system>', 'Be quick.', '</system>'].map((text) => ({ text }));
    for (const model of [GEMINI, 'google/gemini-3.8-flash']) {
      const sent = await sentFor('chat-completions', model, { messages: [...messages, remark] });
      expect(sent['contents']).toEqual([...contents, { role: 'user', parts: said }]);
    }
  });

  test.each([
    [CLAUDE_ADAPTIVE, 'messages'],
    ['google/gemini-3.6-flash', 'contents'],
  ])(
    'checklist 151: with calls that nobody answered it does not, and the vendor says so (%s)',
    async (model, turns) => {
      const call = { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{}' } };
      const open = [messages[0] ?? {}, { role: 'assistant', content: null, tool_calls: [call] }];
      const sent = await sentFor('chat-completions', model, { messages: open });
      expect(listAt(sent, turns)).toHaveLength(2);
    },
  );
});

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

  test('checklist 152: Anthropic is given such as it takes, the same ones every time', async () => {
    const schema = await declared();
    const names = Object.keys(objectAt(schema, 'properties'));
    expect(names).toHaveLength(4);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
    expect(schema['required']).toEqual([names[0], 'a.b-c_1']);
    expect(Object.values(objectAt(schema, 'properties'))).toEqual(Object.values(properties));
    expect(await declared()).toEqual(schema);
  });

  test.each(['whole', 'stream'] as const)(
    'checklist 152: and the caller gets its own ones back, %s',
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

  test('checklist 152: every digit is kept, and what was cut off is told as it came', async () => {
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
    'checklist 152: one of several objects has its own ones back, too, %s',
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

  describe('checklist 152: so may those of an answer that is got as the input of a tool', () => {
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

describe('checklist 153: calls of one turn may share an id, as those of services that give the name for it', () => {
  test.each([GEMINI, GEMINI_3])('checklist 153: %s is sent none twice', async (model) => {
    const call = (id: string, name: string): JsonObject => ({
      id,
      type: 'function',
      function: { name, arguments: '{}' },
    });
    const result = (tool_call_id: string, content: string): JsonObject => ({
      role: 'tool',
      tool_call_id,
      content,
    });
    const messages = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: null, tool_calls: [call('f', 'f'), call('f', 'g'), call('h', 'h')] },
      result('f', 'one'),
      result('f', 'two'),
      result('h', 'three'),
    ];
    const sent = await sentFor('chat-completions', model, { messages });
    const calls = listAt(sent, 'contents.1.parts').map((part) => part['functionCall']);
    expect(calls).toEqual([
      { name: 'f', args: {} },
      { name: 'g', args: {} },
      { id: 'h', name: 'h', args: {} },
    ]);
    expect(listAt(sent, 'contents.2.parts').map((part) => part['functionResponse'])).toEqual([
      { name: 'f', response: { output: 'one' } },
      { name: 'g', response: { output: 'two' } },
      { id: 'h', name: 'h', response: { output: 'three' } },
    ]);
  });
});

test('checklist 155: the name of a file is not told to Google, whose API has no field for it', async () => {
  const file = { filename: 'bill.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' };
  const expected = [
    { role: 'user', parts: [{ inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } }] },
  ];
  for (const [from, more] of [
    ['chat-completions', { messages: [{ role: 'user', content: [{ type: 'file', file }] }] }],
    ['responses', { input: [{ role: 'user', content: [{ type: 'input_file', ...file }] }] }],
  ] as const) {
    expect((await sentFor(from, GEMINI, more))['contents']).toEqual(expected);
  }
});

describe('checklist 154: what is said after results of tools is a content of its own for Gemini', () => {
  const reminder = '<system-reminder>Be quick.</system-reminder>';
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const requests: Readonly<Record<Caller, JsonObject>> = {
    'chat-completions': {
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'done' },
        { role: 'user', content: reminder },
      ],
    },
    responses: {
      input: [
        { role: 'user', content: 'Go.' },
        { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'done' },
        { role: 'user', content: reminder },
      ],
    },
    messages: {
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'done' },
            { type: 'text', text: reminder },
          ],
        },
      ],
    },
  };

  test.each(CALLERS.flatMap((from) => [GEMINI, GEMINI_3].map((model) => [from, model] as const)))(
    'checklist 154: %s to %s',
    async (from, model) => {
      const sent = await sentFor(from, model, requests[from]);
      expect(listAt(sent, 'contents').slice(2)).toEqual([
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'done' } } }] },
        { role: 'user', parts: [{ text: reminder }] },
      ]);
    },
  );
});

describe('checklist 156: a choice among no tools is none, as of a Codex that compacts its dialogue', () => {
  const none = { tools: [], parallel_tool_calls: false };

  test.each(['auto', 'none'])('checklist 156: %s from responses', async (tool_choice) => {
    for (const model of [QWEN, CLAUDE, GEMINI]) {
      const sent = await sentFor('responses', model, { ...none, tool_choice });
      for (const field of ['tools', 'tool_choice', 'parallel_tool_calls', 'toolConfig']) {
        expect(sent).not.toHaveProperty(field);
      }
    }
  });

  test('checklist 156: that a call must be made of none is for the vendor to refuse', async () => {
    const must = { ...none, tool_choice: 'required' };
    expect(await sentFor('responses', QWEN, must)).toHaveProperty('tool_choice', 'required');
    expect(at(await sentFor('responses', GEMINI, must), 'toolConfig.functionCallingConfig.mode')).toBe('ANY');
  });
});

test('checklist 157: the detail of an image that only OpenAI knows is the highest that all know', async () => {
  const image = (detail: string): JsonObject => ({
    type: 'input_image',
    image_url: 'https://example.com/a.png',
    detail,
  });
  const input = [
    { role: 'user', content: [image('original'), image('low')] },
    { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: [image('original')] },
  ];
  const sent = JSON.stringify(await sentFor('responses', QWEN, { input }));
  expect([...sent.matchAll(/"detail":"(\w+)"/g)].map(([, detail]) => detail)).toEqual([
    'high',
    'low',
    'high',
  ]);
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
  const declared = async (model: string, parameters: JsonObject, field: string): Promise<JsonObject> => {
    const tools = [tool('responses', 'f', parameters)];
    return objectAt(await sentFor('responses', model, { tools }), field);
  };
  /** What `create` and `remove` are as one object. */
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
    'checklist 158: Anthropic is given one that holds them all (%s)',
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

  test('checklist 158: what the root says itself stays, and all of allOf holds', async () => {
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

  test('checklist 158: one that refers to itself in every way is no trouble', async () => {
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

  test('checklist 158: by responses, OpenAI takes it from GPT-5 on', async () => {
    const union = { type: 'object', oneOf: [create, remove], properties: {} };
    const tools = [tool('messages', 'f', union)];
    expect(at(await sentFor('messages', 'openai/gpt-5.4', { tools }), 'tools.0.parameters')).toEqual(union);
  });

  test.each([
    [QWEN, 'tools.0.function.parameters', { properties: {} }],
    [GEMINI, 'tools.0.functionDeclarations.0.parametersJsonSchema', {}],
  ])('checklist 158: to %s, the root says that it is an object', async (model, field, more) => {
    const union = { oneOf: [create, remove] };
    expect(await declared(model, union, field)).toEqual({ type: 'object', ...union, ...more });
    const nullable = { type: ['object', 'null'], properties: { a: {} } };
    expect(await declared(model, nullable, field)).toEqual({ type: 'object', properties: { a: {} } });
    const untyped = { properties: { a: {} } };
    expect(await declared(model, untyped, field)).toEqual({ type: 'object', ...untyped });
  });
});

describe('checklist 192: a schema goes to Moonshot by the rules of its own', () => {
  // As pydantic and zod write what an MCP server takes.
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

  test('checklist 192: that of an answer too', async () => {
    const format = { type: 'json_schema', name: 'n', schema: parameters };
    const { response_format } = await sentFor('responses', KIMI, { text: { format } });
    expect(at(response_format, 'json_schema.schema')).toEqual(sent);
  });
});

describe('checklist 160: a call that was cut off, or is no JSON, does not end a dialogue', () => {
  const written: readonly (readonly [arguments: string, sent: string])[] = [
    ['{"a": 12345678901234567890}', '{"a": 12345678901234567890}'],
    ['', '{}'],
    ['null', '{}'],
    ['{"a":', '{"arguments":"{\\"a\\":"}'],
    ['[1]', '{"arguments":"[1]"}'],
  ];
  const sentArguments = (sent: JsonObject): unknown[] =>
    listAt(sent, 'messages.1.tool_calls').map((call) => at(call, 'function.arguments'));
  const expected = written.map(([, sent]) => sent);

  test('checklist 160: from responses, to a service that makes objects of arguments', async () => {
    const calls = written.map(([text], place) => ({
      type: 'function_call',
      call_id: `call_${place}`,
      name: 'f',
      arguments: text,
    }));
    const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'x' }));
    const input = [{ role: 'user', content: 'Go.' }, ...calls, ...results];
    expect(sentArguments(await sentFor('responses', QWEN, { input }))).toEqual(expected);
  });

  test('checklist 160: natively, once the service has refused it as it was', async () => {
    const tool_calls = written.map(([text], place) => ({
      id: `call_${place}`,
      type: 'function',
      function: { name: 'f', arguments: text },
    }));
    const results = tool_calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' }));
    const messages = [{ role: 'user', content: 'Go.' }, { role: 'assistant', tool_calls }, ...results];
    door.answers((received, response) => {
      const isFirst = received.body.includes('"arguments":"[1]"');
      response.writeHead(isFirst ? 400 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          isFirst
            ? { error: { message: 'Extra data' } }
            : completion({ content: 'Done.', refusal: null }, 'stop'),
        ),
      );
    });
    expect((await door.whole('chat-completions', QWEN, { messages })).status).toBe(200);
    expect(sentArguments(door.sent())).toEqual(expected);
  });
});

function objectAt(value: JsonObject, path: string): JsonObject {
  const found = at(value, path);
  if (!isObject(found)) throw new TypeError(`There is no object at ${path}`);
  return found;
}

describe('checklist 190: no tool is forced on a Claude that refuses to be made to call one', () => {
  const REFUSING = ['opus-5-5', 'sonnet-5-5', 'fable-5-1', 'fable-5-2'].map(
    (name) => `anthropic/claude-${name}`,
  );
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Rome?' },
  ];
  const tools = ['a', 'b', 'c'].map((name) => cityTool('chat-completions', name));
  const question = { type: 'text', text: 'Rome?' };
  const one = (name: string): JsonObject => ({ type: 'function', function: { name } });
  const several = { mode: 'required', tools: [one('a'), one('c')] };

  test.each(
    REFUSING.flatMap((model) =>
      [
        ['required', 'one of the tools', ['a', 'b', 'c']] as const,
        [one('b'), 'the tool "b"', ['b']] as const,
        [{ type: 'allowed_tools', allowed_tools: several }, 'one of the tools', ['a', 'c']] as const,
      ].map(([tool_choice, whom, offered]) => ({ model, tool_choice, whom, offered })),
    ),
  )('checklist 190: $model is asked for a call of $whom', async ({ model, tool_choice, whom, offered }) => {
    const sent = await sentFor('chat-completions', model, {
      messages,
      tools,
      tool_choice,
      parallel_tool_calls: false,
    });
    expect(sent['tool_choice']).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(listAt(sent, 'tools').map((offer) => at(offer, 'name'))).toEqual(offered);
    expect(sent['system']).toBe('Be brief.');
    const asked = { type: 'text', text: `Answer with a call of ${whom}, not with text.` };
    expect(listAt(sent, 'messages').at(-1)).toEqual({ role: 'user', content: [question, asked] });
  });

  test.each(REFUSING)('checklist 190: nor for the form of an answer (%s)', async (model) => {
    const schema = { type: 'object', additionalProperties: { type: 'string' } };
    const sent = await sentFor('chat-completions', model, {
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    });
    expect(sent['tools']).toBeUndefined();
    expect(sent['tool_choice']).toBeUndefined();
    expect(JSON.stringify(sent['system'])).toContain('JSON schema');
  });

  test.each(['fable-5', 'haiku-5-5', 'opus-5'])('checklist 190: Claude %s can be made to', async (name) => {
    const model = `anthropic/claude-${name}`;
    const sent = await sentFor('chat-completions', model, { messages, tools, tool_choice: 'required' });
    expect(sent['tool_choice']).toEqual({ type: 'any' });
    expect(listAt(sent, 'messages.0.content')).toEqual([question]);
  });
});

describe('checklist 191: thoughts that Claude does not take back end no dialogue', () => {
  const thought = {
    type: 'reasoning.text',
    text: 'Hm.',
    signature: 'c2lnbmVk',
    format: 'anthropic-claude-v1',
    index: 0,
  };
  const messages = [
    { role: 'system', content: 'It is Monday.' },
    { role: 'user', content: 'Rome?' },
    { role: 'assistant', content: 'Sunny.', reasoning_details: [thought] },
    { role: 'user', content: 'And Paris?' },
  ];
  const model = 'anthropic/claude-opus-5-5';
  const refusal = (message: string): string =>
    JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } });
  const bound =
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. ' +
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';

  const unread = [
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.1.content.1: Invalid `data` in `redacted_thinking` block',
    'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
  ];

  test.each<['whole' | 'stream', string]>([
    ['stream', bound],
    ...[bound, ...unread].map((told) => ['whole', told] as ['whole', string]),
  ])('checklist 191: they are left out then (%s, %s)', async (mode, told) => {
    const said = claudeBoth([{ type: 'text', text: 'Rainy.' }], 'end_turn')[mode];
    const bodies: string[] = [];
    door.answers(({ body }, response) => {
      bodies.push(body.toString('utf8'));
      if (bodies.length === 1)
        response.writeHead(400, { 'content-type': 'application/json' }).end(refusal(told));
      else response.writeHead(200, { 'content-type': said.type }).end(said.body);
    });
    const { status, text } = await door[mode]('chat-completions', model, { messages });
    expect(status).toBe(200);
    expect(text).toContain('Rainy.');
    expect(bodies.map((body) => body.includes('"thinking":"Hm."'))).toEqual([true, false]);
    expect(bodies[1]).toContain('Sunny.');
  });

  test('checklist 191: any other refusal is the vendor’s last word', async () => {
    door.answers((_, response) =>
      response.writeHead(400, { 'content-type': 'application/json' }).end(refusal('max_tokens: too large')),
    );
    const { status } = await door.whole('chat-completions', model, { messages });
    expect(status).toBe(400);
    expect(door.upstream().received).toHaveLength(1);
  });

  test('checklist 191: it is sent once more, and no further', async () => {
    door.answers((_, response) =>
      response.writeHead(400, { 'content-type': 'application/json' }).end(refusal(bound)),
    );
    const { status, text } = await door.whole('chat-completions', model, { messages });
    expect(status).toBe(400);
    expect(text).toContain('bound to a different conversation');
    expect(door.upstream().received).toHaveLength(2);
  });
});

describe('checklist 199: thoughts that were encrypted for another account of OpenAI end no dialogue', () => {
  const secret = 'gAAAAABhbm90aGVy';
  const said = (from: Caller): JsonObject => {
    if (from === 'messages') {
      const thought = { type: 'thinking', thinking: '', signature: `openai#${secret}` };
      return {
        messages: [
          { role: 'user', content: 'Rome?' },
          { role: 'assistant', content: [thought, { type: 'text', text: 'Sunny.' }] },
          { role: 'user', content: 'And Paris?' },
        ],
      };
    }
    return {
      store: false,
      input: [
        { role: 'user', content: 'Rome?' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: secret },
        { role: 'assistant', content: 'Sunny.' },
        { role: 'user', content: 'And Paris?' },
      ],
    };
  };
  const refusal = (message: string, code: string | null): string =>
    JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } });
  const another =
    'The encrypted content gAAA...eXI= could not be verified. Reason: Encrypted content organization_id did not match ' +
    'the target organization.';
  const answer = (ending: 'json' | 'sse'): Buffer =>
    readFileSync(join(FIXTURES, 'replies', 'responses', `plain-text.${ending}`));
  const ways = (['messages', 'responses'] as const).flatMap((from) =>
    (['whole', 'stream'] as const).map((mode) => ({ from, mode })),
  );

  test.each(ways)('checklist 199: they are left out then ($from, $mode)', async ({ from, mode }) => {
    const bodies: string[] = [];
    door.answers(({ body }, response) => {
      bodies.push(body.toString('utf8'));
      if (bodies.length === 1)
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(refusal(another, 'invalid_encrypted_content'));
      else if (mode === 'whole')
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer('json'));
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer('sse'));
    });
    const { status, text } = await door[mode](from, RESPONDER, said(from));
    expect(status, text).toBe(200);
    expect(bodies.map((body) => body.includes(secret))).toEqual([true, false]);
    expect(bodies.map((body) => body.includes('Sunny.'))).toEqual([true, true]);
  });

  const flat = (error: string): string => JSON.stringify({ code: 'invalid-argument', error });
  /** xAI's, of a thought and of what it takes for more than one; Meta's; Azure's, of several resources' in one dialogue; OpenAI's, of a model that does not think. */
  test.each([
    flat(
      'Could not decrypt the provided encrypted_content. Ensure the value is the unmodified encrypted_content from a previous response.',
    ),
    flat('Could not decode the compaction blob. Ensure it is unmodified from the compact response.'),
    refusal('reasoning `encrypted_content` was not issued to this caller', null),
    refusal('Conflicting authenticated continuation identities.', 'invalid_value'),
    refusal('Reasoning input items can only be provided to a reasoning or computer use model.', null),
  ])('checklist 199: so where a service says it in other words: %s', async (told) => {
    const bodies: string[] = [];
    door.answers(({ body }, response) => {
      bodies.push(body.toString('utf8'));
      if (bodies.length === 1) response.writeHead(400, { 'content-type': 'application/json' }).end(told);
      else response.writeHead(200, { 'content-type': 'application/json' }).end(answer('json'));
    });
    expect((await door.whole('responses', RESPONDER, said('responses'))).status).toBe(200);
    expect(bodies.map((body) => body.includes(secret))).toEqual([true, false]);
  });

  test.each(['messages', 'responses'] as const)(
    'checklist 199: no other refusal is one (%s)',
    async (from) => {
      door.answers((_, response) =>
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(refusal("Unsupported parameter: 'temperature'", 'unsupported_parameter')),
      );
      expect((await door.whole(from, RESPONDER, said(from))).status).toBe(400);
      expect(door.upstream().received).toHaveLength(1);
    },
  );
});

describe('checklist 200: a dialogue in which another service numbered the items goes on with GPT', () => {
  const sunny = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny.' }] };
  const more = {
    store: false,
    input: [{ role: 'user', content: 'Rome?' }, sunny, { role: 'user', content: 'And Paris?' }],
  };
  const told = {
    error: {
      message: "Invalid 'input[1].id': '019f629b-43ee'. Expected an ID that begins with 'msg'.",
      type: 'invalid_request_error',
      param: 'input[1].id',
      code: 'invalid_id_prefix',
    },
  };

  test('checklist 200: without the ids, once they were refused', async () => {
    const bodies: JsonObject[] = [];
    door.answers(({ body }, response) => {
      bodies.push(asObject(parseJson(body.toString('utf8'))) ?? {});
      const isFirst = bodies.length === 1;
      response
        .writeHead(isFirst ? 400 : 200, { 'content-type': 'application/json' })
        .end(
          isFirst
            ? JSON.stringify(told)
            : readFileSync(join(FIXTURES, 'replies', 'responses', 'plain-text.json')),
        );
    });
    const numbered = more.input.map((item, at) => (at === 1 ? { ...item, id: '019f629b-43ee' } : item));
    const { status, text } = await door.whole('responses', OPENAI, { ...more, input: numbered });
    expect(status, text).toBe(200);
    expect(bodies.map((body) => body['input'])).toEqual([numbered, more.input]);
  });
});
