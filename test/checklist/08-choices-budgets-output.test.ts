/** Checklist, section 8: tool choice, thinking budgets, structured output. */

import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ModelTraits, type Note, reportInto } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { asNumber, asObject } from '../../src/lib/json.ts';
import {
  ALIBABA,
  ALIBABA_WORDS,
  at,
  CALLERS,
  type Caller,
  CEREBRAS,
  CLAUDE,
  CLAUDE_ADAPTIVE,
  CLAUDE_OLD,
  cityTool,
  completion,
  DEEPSEEK,
  GEMINI,
  GEMINI_3,
  GLM,
  json,
  KIMI,
  LMSTUDIO,
  listAt,
  MINIMAX,
  MUSE,
  OLLAMA,
  OPENAI,
  QWEN,
  RESPONDER,
  THINKING,
  useDoor,
} from './support.ts';

const door = useDoor();
const { sentFor } = door;

const BUDGETED: ModelTraits = {
  model: 'claude',
  maxOutputTokens: 64_000,
  thinking: { kinds: ['budget'], efforts: [], budget: { min: 1024, max: 63_999 }, canDisable: true },
  sampling: true,
  structuredOutput: true,
  dialect: '',
};

/** The request that one format renders of another's, and what it reports. */
function translated(from: Caller, to: 'messages' | 'generate-content', body: JsonObject, target = BUDGETED) {
  const notes: Note[] = [];
  const report = reportInto(notes);
  const prompt = formats[from].inbound.parseRequest({ model: 'm', ...body }, report);
  return { sent: formats[to].outbound.renderRequest(prompt, target, report), notes };
}

const tools = (from: Caller): JsonObject => ({ tools: ['a', 'b', 'c'].map((name) => cityTool(from, name)) });

describe('checklist 71: disabling parallel calls does not force a call', () => {
  test.each([
    ['chat-completions', undefined],
    ['chat-completions', 'auto'],
    ['responses', undefined],
    ['responses', 'auto'],
  ] as const)('checklist 71: %s, tool_choice %s', async (from, choice) => {
    const more = { ...tools(from), parallel_tool_calls: false, ...(choice && { tool_choice: choice }) };
    expect((await sentFor(from, CLAUDE, more))['tool_choice']).toEqual({
      type: 'auto',
      disable_parallel_tool_use: true,
    });
  });

  test('checklist 71: from messages it becomes the flag again', async () => {
    const more = { ...tools('messages'), tool_choice: { type: 'auto', disable_parallel_tool_use: true } };
    expect(await sentFor('messages', OPENAI, more)).toMatchObject({
      tool_choice: 'auto',
      parallel_tool_calls: false,
    });
  });

  test('checklist 71: is not sent if it was not asked for', async () => {
    expect(
      (await sentFor('chat-completions', CLAUDE, tools('chat-completions')))['tool_choice'],
    ).toBeUndefined();
    expect(
      (await sentFor('chat-completions', GEMINI, tools('chat-completions')))['toolConfig'],
    ).toBeUndefined();
  });
});

describe('checklist 72: tool_choice none stays none', () => {
  const none: Readonly<Record<Caller, Json>> = {
    'chat-completions': 'none',
    responses: 'none',
    messages: { type: 'none' },
  };
  const cases: [from: Caller, model: string, path: string, value: Json][] = [
    ['chat-completions', CLAUDE, 'tool_choice', { type: 'none' }],
    ['responses', CLAUDE, 'tool_choice', { type: 'none' }],
    ['chat-completions', GEMINI, 'toolConfig.functionCallingConfig.mode', 'NONE'],
    ['messages', GEMINI, 'toolConfig.functionCallingConfig.mode', 'NONE'],
    ['messages', OPENAI, 'tool_choice', 'none'],
    ['responses', QWEN, 'tool_choice', 'none'],
    ['messages', RESPONDER, 'tool_choice', 'none'],
  ];
  test.each(cases)('checklist 72: %s to %s', async (from, model, path, value) => {
    expect(at(await sentFor(from, model, { ...tools(from), tool_choice: none[from] }), path)).toEqual(value);
  });
});

describe('checklist 73: a choice among some tools is mapped', () => {
  const chosen: Readonly<Record<'chat-completions' | 'responses', (mode: string) => JsonObject>> = {
    'chat-completions': (mode) => ({
      type: 'allowed_tools',
      allowed_tools: { mode, tools: ['a', 'b'].map((name) => ({ type: 'function', function: { name } })) },
    }),
    responses: (mode) => ({
      type: 'allowed_tools',
      mode,
      tools: ['a', 'b'].map((name) => ({ type: 'function', name })),
    }),
  };
  const ways = (['chat-completions', 'responses'] as const).flatMap((from) =>
    ['auto', 'required'].map((mode) => ({ from, mode })),
  );
  test.each(ways)('checklist 73: $from, $mode', async ({ from, mode }) => {
    const more = { ...tools(from), tool_choice: chosen[from](mode) };
    const toClaude = await sentFor(from, CLAUDE, more);
    expect(listAt(toClaude, 'tools').map(({ name }) => name)).toEqual(['a', 'b']);
    expect(at(toClaude, 'tool_choice.type')).toBe(mode === 'auto' ? 'auto' : 'any');
    const toGemini = await sentFor(from, GEMINI, more);
    const config = asObject(at(toGemini, 'toolConfig.functionCallingConfig'));
    expect(config?.['allowedFunctionNames']).toEqual(['a', 'b']);
    expect(config?.['mode']).toBe(mode === 'auto' ? 'VALIDATED' : 'ANY');
    expect(listAt(toGemini, 'tools.0.functionDeclarations')).toHaveLength(3);
  });

  test.each([
    ['chat-completions', 'sometimes'],
    ['responses', 'sometimes'],
    ['messages', { type: 'sometimes' }],
  ] as const)('checklist 73: an unknown one is rejected (%s)', async (from, tool_choice) => {
    const { status, json } = await door.whole(from, GEMINI, { ...tools(from), tool_choice });
    expect(status).toBe(400);
    expect(at(json, 'error.message')).toMatch(/'sometimes'.*'auto'.*'none'|'sometimes'.*'none'.*'auto'/);
    expect(door.upstream().received).toEqual([]);
  });

  test('checklist 73: a flag that a vendor has no field for is reported', () => {
    const { notes } = translated('chat-completions', 'generate-content', {
      messages: [{ role: 'user', content: 'Go.' }],
      ...tools('chat-completions'),
      parallel_tool_calls: false,
    });
    expect(notes).toContainEqual(
      expect.objectContaining({ field: expect.stringMatching(/parallel/i), outcome: 'dropped' }),
    );
  });
});

// Claude Code's WebSearch forces its tool; OpenAI's documentation of the tool shows how to.
describe('checklist 292: a web search can be the forced tool, one of several, or excluded', () => {
  const functions = cityTool('responses', 'a');
  const both = { tools: [functions, { type: 'web_search' }] };
  const some = (mode: string, ...chosen: readonly JsonObject[]): JsonObject => ({
    ...both,
    tool_choice: { type: 'allowed_tools', mode, tools: chosen },
  });
  const a = { type: 'function', name: 'a' };
  const names = (sent: JsonObject): readonly (Json | undefined)[] =>
    listAt(sent, 'tools').map(({ name, type }) => name ?? type);

  test.each(['web_search', 'web_search_preview'])('checklist 292: forced as %s', async (type) => {
    const forced = { ...both, tool_choice: { type } };
    const toClaude = await sentFor('responses', CLAUDE, forced);
    expect(toClaude['tool_choice']).toEqual({ type: 'tool', name: 'web_search' });
    expect(names(toClaude)).toEqual(['a', 'web_search']);
    for (const model of [GEMINI, GEMINI_3]) {
      const toGemini = await sentFor('responses', model, forced);
      expect(toGemini['tools']).toEqual([{ googleSearch: {} }]);
      expect(toGemini).not.toHaveProperty('toolConfig');
    }
  });

  test('checklist 292: forced by a messages client, next to a function', async () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    const more = {
      tools: [search, cityTool('messages', 'a')],
      tool_choice: { type: 'tool', name: 'web_search' },
    };
    expect((await sentFor('messages', RESPONDER, more))['tool_choice']).toEqual({ type: 'web_search' });
    // Without a search, the tools stay.
    const elsewhere = await sentFor('messages', QWEN, more);
    expect(listAt(elsewhere, 'tools')).toHaveLength(1);
    expect(elsewhere).not.toHaveProperty('tool_choice');
  });

  test('checklist 292: one of several that must, or may, be used', async () => {
    const toClaude = await sentFor('responses', CLAUDE, some('required', a, { type: 'web_search' }));
    expect(toClaude['tool_choice']).toEqual({ type: 'any' });
    expect(names(toClaude)).toEqual(['a', 'web_search']);
    const toGemini = await sentFor('responses', GEMINI_3, some('required', a, { type: 'web_search' }));
    expect(at(toGemini, 'toolConfig.functionCallingConfig.mode')).toBe('VALIDATED');
    expect(JSON.stringify(toGemini['tools'])).toContain('googleSearch');
  });

  test('checklist 292: not among the allowed tools', async () => {
    expect(names(await sentFor('responses', CLAUDE, some('auto', a)))).toEqual(['a']);
    const toGemini = await sentFor('responses', GEMINI_3, some('auto', a));
    expect(JSON.stringify(toGemini)).not.toMatch(/googleSearch|includeServerSide/);
  });

  test('checklist 292: but the one of chat-completions is requested along with all tools', async () => {
    const toClaude = await sentFor('chat-completions', CLAUDE, {
      tools: [cityTool('chat-completions', 'a')],
      web_search_options: {},
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'a' } }] },
      },
    });
    expect(names(toClaude)).toEqual(['a', 'web_search']);
  });
});

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const asked: Readonly<Record<'chat-completions' | 'responses', JsonObject>> = {
  'chat-completions': {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
  },
  responses: { text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } } },
};
const thinkHard: Readonly<Record<'chat-completions' | 'responses', JsonObject>> = {
  'chat-completions': { reasoning_effort: 'high', max_tokens: 8000 },
  responses: { reasoning: { effort: 'high' }, max_output_tokens: 8000 },
};

describe('checklist 74: thinking and a forced tool are never sent together to a model that refuses both', () => {
  const forced: Readonly<Record<'chat-completions' | 'responses', readonly Json[]>> = {
    'chat-completions': ['required', { type: 'function', function: { name: 'a' } }],
    responses: ['required', { type: 'function', name: 'a' }],
  };
  test.each(
    (['chat-completions', 'responses'] as const).flatMap((from) =>
      forced[from].map((choice) => ({ from, choice })),
    ),
  )('checklist 74: $from, $choice', async ({ from, choice }) => {
    const sent = await sentFor(from, CLAUDE, { ...tools(from), ...thinkHard[from], tool_choice: choice });
    const isThinking = at(sent, 'thinking.type') === 'enabled';
    const isForced = ['any', 'tool'].includes(String(at(sent, 'tool_choice.type')));
    expect(isThinking && isForced).toBe(false);
    expect(isThinking || isForced).toBe(true);
  });

  test.each(['chat-completions', 'responses'] as const)(
    'checklist 74: a JSON answer with thinking is not a forced tool (%s)',
    async (from) => {
      const enforced = await sentFor(from, CLAUDE, { ...thinkHard[from], ...asked[from] });
      expect(at(enforced, 'thinking.type')).toBe('enabled');
      expect(at(enforced, 'output_config.format.type')).toBe('json_schema');
      expect(enforced['tool_choice']).toBeUndefined();
      // An older model cannot enforce a schema: the request describes the schema in words instead.
      const told = await sentFor(from, CLAUDE_OLD, { ...thinkHard[from], ...asked[from] });
      expect(at(told, 'thinking.type')).toBe('enabled');
      expect(told['tool_choice']).toBeUndefined();
      expect(JSON.stringify(told['system'])).toContain('additionalProperties');
    },
  );
});

test('checklist 75: a budget is at least 1,024 and below max_tokens, or there is none', () => {
  const effort = fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');
  const maxTokens = fc.oneof(fc.integer({ min: 1, max: 70_000 }), fc.constantFrom(1, 1023, 1024, 1025, 2048));
  const wish = fc.oneof(
    fc.record({ reasoning_effort: effort }),
    fc.record({ reasoning: fc.record({ max_tokens: fc.integer({ min: 0, max: 100_000 }) }) }),
    fc.record({
      thinking: fc.record({
        type: fc.constant('enabled'),
        budget_tokens: fc.integer({ min: 0, max: 100_000 }),
      }),
    }),
  );
  let budgets = 0;
  fc.assert(
    fc.property(wish, fc.option(maxTokens, { nil: undefined }), (thinking, limit) => {
      const { sent } = translated('chat-completions', 'messages', {
        messages: [{ role: 'user', content: 'Go.' }],
        ...thinking,
        ...(limit !== undefined && { max_tokens: limit }),
      });
      const budget = asNumber(at(sent, 'thinking.budget_tokens'));
      const most = asNumber(sent['max_tokens']) ?? 0;
      if (limit !== undefined) expect(most).toBe(Math.min(limit, 64_000));
      if (budget === undefined) return;
      budgets += 1;
      expect(Number.isInteger(budget)).toBe(true);
      expect(budget).toBeGreaterThanOrEqual(1024);
      expect(budget).toBeLessThan(most);
    }),
    { numRuns: 500 },
  );
  expect(budgets).toBeGreaterThan(100);
});

test.each([
  ['temperature', 'temperature', { temperature: 0.3 }],
  ['top_p', 'topP', { top_p: 0.5 }],
  ['top_k', 'topK', { top_k: 40 }],
])('checklist 76: %s is left out if the model thinks, and reported', (field, path, sampling) => {
  const body = { messages: [{ role: 'user', content: 'Go.' }], max_tokens: 8000, ...sampling };
  const { sent, notes } = translated('chat-completions', 'messages', { ...body, reasoning_effort: 'high' });
  expect(at(sent, 'thinking.type')).toBe('enabled');
  expect(sent[field]).toBeUndefined();
  expect(notes).toContainEqual(expect.objectContaining({ field: path, outcome: 'dropped' }));
  expect(translated('chat-completions', 'messages', body).sent[field]).toBeDefined();
});

describe('checklist 77: a response schema reaches Anthropic', () => {
  test.each(['chat-completions', 'responses'] as const)('checklist 77: from %s', async (from) => {
    const sent = await sentFor(from, CLAUDE, asked[from]);
    expect(at(sent, 'output_config.format')).toEqual({ type: 'json_schema', schema });
  });

  test('checklist 77: a model that cannot enforce it uses a tool, and the caller sees only JSON', async () => {
    door.answers((_, response) => {
      const name = at(door.sent(), 'tool_choice.name') ?? '';
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [{ type: 'tool_use', id: 'toolu_1', name, input: { city: 'Rom' } }],
          stop_reason: 'tool_use',
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        }),
      );
    });
    const { json: body } = await door.whole('chat-completions', CLAUDE_OLD, asked['chat-completions']);
    expect(at(body, 'choices.0.message.content')).toBe('{"city":"Rom"}');
    expect(at(body, 'choices.0.finish_reason')).toBe('stop');
    expect(at(body, 'choices.0.message.tool_calls')).toBeUndefined();
  });
});

test.each([MINIMAX, 'minimax/minimax-m2.7', 'minimax/minimax-m2.5'])(
  'checklist 195: %s, which does not enforce schemas, gets the schema in words',
  async (model) => {
    const sent = await sentFor('responses', model, asked.responses);
    expect(sent['response_format']).toEqual({ type: 'json_object' });
    expect(at(sent, 'messages.0.role')).toBe('system');
    expect(at(sent, 'messages.0.content')).toContain(JSON.stringify(schema));
  },
);

describe('checklist 179: the request says in words which schema keywords Anthropic does not enforce', () => {
  const text = { type: 'string' };
  const properties = { a: text, b: text };
  const object = { type: 'object', properties, required: ['a'] };
  const format = (schema: JsonObject): JsonObject => ({
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
  });

  test.each<[string, JsonObject]>([
    ['names', { propertyNames: { pattern: '^[ab]$' } }],
    ['what hangs on another', { dependentRequired: { b: ['a'] } }],
    ['schemas that hang on another', { dependentSchemas: { b: { required: ['a'] } } }],
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword.
    ['conditions', { if: { required: ['b'] }, then: { maxProperties: 2 }, else: { maxProperties: 1 } }],
    ['what it may not be', { not: { required: ['b'] } }],
    ['what nothing else allows', { unevaluatedProperties: false }],
    ['what a list contains', { contains: { type: 'string' }, minContains: 1, maxContains: 3 }],
    ['what hangs on another, as of old', { dependencies: { b: ['a'] } }],
  ])('checklist 179: %s', async (_, keywords) => {
    const told = Object.entries(keywords).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    const closed = { ...object, additionalProperties: false, description: `{${told.join(', ')}}` };
    const sent = await sentFor('chat-completions', CLAUDE, format({ ...object, ...keywords }));
    expect(at(sent, 'output_config.format.schema')).toEqual(closed);
    const tools = [
      { type: 'function', function: { name: 'f', strict: true, parameters: { ...object, ...keywords } } },
    ];
    const strict = { name: 'f', input_schema: closed, strict: true };
    expect(at(await sentFor('chat-completions', CLAUDE, { tools }), 'tools.0')).toEqual(strict);
  });

  test('checklist 179: a tuple uses a tool: words alone would allow any list', async () => {
    const pair = { type: 'array', prefixItems: [text, { type: 'number' }], items: false };
    const schema = { type: 'object', properties: { pair }, required: ['pair'], additionalProperties: false };
    const sent = await sentFor('chat-completions', CLAUDE, format(schema));
    expect(sent['output_config']).toBeUndefined();
    expect(at(sent, 'tools.0.input_schema')).toEqual(schema);
  });
});

describe('checklist 176: OpenAI is asked for strict schemas where it can enforce them, as messages callers expect', () => {
  const closed = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  });
  const text = { type: 'string' };
  const enforced: readonly [string, JsonObject][] = [
    ['a plain one', closed({ a: text })],
    [
      'one with bounds',
      closed({ a: { type: 'string', format: 'email', minLength: 3 }, n: { type: 'number', minimum: 1 } }),
    ],
    ['one of either', closed({ a: { anyOf: [text, { type: 'null' }] } })],
    ['one that has the names of keywords', closed({ oneOf: text, not: text, format: text })],
    ['one of values that look like keywords', closed({ a: { type: 'string', enum: ['x'], title: 'oneOf' } })],
  ];
  const refused: readonly [string, JsonObject][] = [
    ['a format it does not know', closed({ url: { type: 'string', format: 'uri' } })],
    ['one further down', closed({ list: { type: 'array', items: { type: 'string', format: 'uri' } } })],
    ['a union it does not know', closed({ a: { oneOf: [text, { type: 'null' }] } })],
    ['all of several', closed({ a: { $ref: '#/$defs/b' } }, { $defs: { b: { allOf: [text] } } })],
    ['no list of the same', closed({ a: { type: 'array', items: text, uniqueItems: true } })],
    ['names by a pattern', closed({ a: closed({}, { patternProperties: { '^a': text } }) })],
    ['anything', {}],
  ];
  const wrapped: readonly [string, JsonObject][] = [
    ['a list at the root', { type: 'array', items: text }],
    ['a union at the root', { anyOf: [closed({ a: text }), closed({ b: text })] }],
  ];
  const format = (schema: JsonObject): JsonObject => ({
    output_config: { format: { type: 'json_schema', schema } },
  });

  test.each(wrapped)('checklist 176: %s is put in an object, which OpenAI requires', async (_, answer) => {
    const made = { name: 'answer', schema: closed({ answer }), strict: true };
    const byChat = await sentFor('messages', OPENAI, format(answer));
    expect(at(byChat, 'response_format.json_schema')).toEqual(made);
    const byResponses = await sentFor('messages', 'openai/gpt-5.4', format(answer));
    expect(at(byResponses, 'text.format')).toEqual({ type: 'json_schema', ...made });
  });

  test.each([
    ...enforced.map((row) => [...row, true] as const),
    ...refused.map((row) => [...row, false] as const),
  ])('checklist 176: %s', async (_, schema, isEnforced) => {
    const strict = isEnforced ? { strict: true } : {};
    const byChat = await sentFor('messages', OPENAI, format(schema));
    expect(at(byChat, 'response_format.json_schema')).toEqual({ name: 'answer', schema, ...strict });
    const byResponses = await sentFor('messages', 'openai/gpt-5.4', format(schema));
    expect(at(byResponses, 'text.format')).toEqual({
      type: 'json_schema',
      name: 'answer',
      schema,
      ...strict,
    });
  });

  test('checklist 176: what a reference at the root leads to', async () => {
    const schema = { $ref: '#/$defs/a', $defs: { a: closed({ a: text }) } };
    const made = { name: 'answer', schema: closed({ a: text }), strict: true };
    const byChat = await sentFor('messages', OPENAI, format(schema));
    expect(at(byChat, 'response_format.json_schema')).toEqual(made);
    const byResponses = await sentFor('messages', 'openai/gpt-5.4', format(schema));
    expect(at(byResponses, 'text.format')).toEqual({ type: 'json_schema', ...made });
  });

  test.each(refused.slice(0, 6))('checklist 176: of a tool, %s', async (_, input_schema) => {
    const tools = [{ name: 'f', input_schema, strict: true }];
    expect(at(await sentFor('messages', OPENAI, { tools }), 'tools.0.function')).not.toHaveProperty('strict');
    expect(at(await sentFor('messages', 'openai/gpt-5.4', { tools }), 'tools.0.strict')).toBe(false);
  });

  test('checklist 176: an explicit strict setting is kept', async () => {
    const schema = closed({ a: text });
    for (const said of [{}, { strict: false }, { strict: true }]) {
      const response_format = { type: 'json_schema', json_schema: { name: 'x', schema, ...said } };
      const sent = await sentFor('chat-completions', RESPONDER, { response_format });
      expect(at(sent, 'text.format')).toEqual({ type: 'json_schema', name: 'x', schema, ...said });
    }
  });
});

test.each(['chat-completions', 'responses'] as const)(
  'checklist 78: a response schema reaches Google (%s)',
  async (from) => {
    const { generationConfig } = await sentFor(from, GEMINI, asked[from]);
    expect(generationConfig).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    });
  },
);

test.each(['chat-completions', 'responses'] as const)(
  'checklist 79: functions together with a JSON answer, which Gemini accepts from 3 on (%s)',
  async (from) => {
    const older = await sentFor(from, GEMINI, { ...tools(from), ...asked[from] });
    expect(at(older, 'generationConfig.responseMimeType')).toBeUndefined();
    expect(at(older, 'generationConfig.responseJsonSchema')).toBeUndefined();
    expect(JSON.stringify(older['systemInstruction'])).toContain('additionalProperties');
    expect(listAt(older, 'tools.0.functionDeclarations')).toHaveLength(3);
    const newer = await sentFor(from, GEMINI_3, { ...tools(from), ...asked[from] });
    expect(at(newer, 'generationConfig.responseJsonSchema')).toEqual(schema);
    expect(listAt(newer, 'tools.0.functionDeclarations')).toHaveLength(3);
  },
);

describe('checklist 80: the usual settings reach every vendor', () => {
  const said: Readonly<Record<Caller, JsonObject>> = {
    'chat-completions': { max_tokens: 77, temperature: 0.5, stop: ['END'] },
    responses: { max_output_tokens: 77, temperature: 0.5 },
    messages: { max_tokens: 77, temperature: 0.5, stop_sequences: ['END'] },
  };
  const heard: Readonly<Record<string, (stops: boolean) => JsonObject>> = {
    [CLAUDE]: (stops) => ({ max_tokens: 77, temperature: 0.5, ...(stops && { stop_sequences: ['END'] }) }),
    [GEMINI]: (stops) => ({
      generationConfig: { maxOutputTokens: 77, temperature: 0.5, ...(stops && { stopSequences: ['END'] }) },
    }),
    [OPENAI]: (stops) => ({ max_completion_tokens: 77, temperature: 0.5, ...(stops && { stop: ['END'] }) }),
    [QWEN]: (stops) => ({ max_tokens: 77, temperature: 0.5, ...(stops && { stop: ['END'] }) }),
    [RESPONDER]: () => ({ max_output_tokens: 77, temperature: 0.5 }),
  };
  const native: Readonly<Record<Caller, readonly string[]>> = {
    'chat-completions': [OPENAI, QWEN],
    responses: [OPENAI, RESPONDER],
    messages: [CLAUDE],
  };
  test.each(
    CALLERS.flatMap((from) =>
      Object.keys(heard)
        .filter((model) => !native[from].includes(model))
        .map((model) => ({ from, model })),
    ),
  )('checklist 80: $from to $model', async ({ from, model }) => {
    expect(await sentFor(from, model, said[from])).toMatchObject(heard[model]?.(from !== 'responses') ?? {});
  });

  test('checklist 80: without a limit, Anthropic gets the maximum of its model; the newest models get no temperature', async () => {
    const sent = await sentFor('chat-completions', CLAUDE_ADAPTIVE, { temperature: 0.5 });
    expect(sent['max_tokens']).toBe(128_000);
    expect(sent['temperature']).toBeUndefined();
  });
});

describe('checklist 172: a tool is forced even if the service allows that only without thinking', () => {
  const tools = [
    { name: 'f', input_schema: { type: 'object', properties: {} } },
    { name: 'g', input_schema: { type: 'object', properties: {} } },
  ];
  const forced = (tool_choice: JsonObject, more: JsonObject = {}): JsonObject => ({
    tools,
    tool_choice,
    ...more,
  });

  test.each([{}, { thinking: { type: 'adaptive' } }, { thinking: { type: 'enabled', budget_tokens: 2000 } }])(
    'checklist 172: DeepSeek thinks by default, and then rejects it: %j',
    async (more) => {
      const sent = await sentFor('messages', DEEPSEEK, forced({ type: 'any' }, more));
      expect(sent).toMatchObject({ tool_choice: 'required', thinking: { type: 'disabled' } });
      expect(sent).not.toHaveProperty('reasoning_effort');
      const named = await sentFor('messages', DEEPSEEK, forced({ type: 'tool', name: 'g' }, more));
      expect(at(named, 'tool_choice.function.name')).toBe('g');
      expect(named['thinking']).toEqual({ type: 'disabled' });
    },
  );

  test('checklist 172: without a forced tool, thinking is as requested', async () => {
    const more = { thinking: { type: 'enabled', budget_tokens: 2000 } };
    const sent = await sentFor('messages', DEEPSEEK, forced({ type: 'auto' }, more));
    expect(sent['thinking']).toEqual({ type: 'enabled' });
  });

  test('checklist 172: Kimi, which always thinks, accepts "required" and no name', async () => {
    const named = await sentFor('messages', KIMI, forced({ type: 'tool', name: 'g' }));
    expect(named['tool_choice']).toBe('required');
    expect(listAt(named, 'tools').map((tool) => at(tool, 'function.name'))).toEqual(['g']);
    expect(named).not.toHaveProperty('thinking');
  });
});

test('checklist 235: LM Studio, which rejects the name of a tool, gets "required" and only that tool', async () => {
  const choice = { type: 'tool', name: 'b' };
  const sent = await sentFor('messages', LMSTUDIO, { ...tools('messages'), tool_choice: choice });
  expect(sent['tool_choice']).toBe('required');
  expect(listAt(sent, 'tools').map((tool) => at(tool, 'function.name'))).toEqual(['b']);
});

describe('checklist 236: a tool can be forced even if a service has no tool_choice', () => {
  test.each([GLM])('checklist 236: %s is asked for the call in words', async (model) => {
    for (const [choice, whom, offered] of [
      [{ type: 'any' }, 'one of the tools', ['a', 'b', 'c']],
      [{ type: 'tool', name: 'b' }, 'the tool "b"', ['b']],
    ] as const) {
      const sent = await sentFor('messages', model, { ...tools('messages'), tool_choice: choice });
      expect(sent['tool_choice']).toBe('auto');
      expect(listAt(sent, 'tools').map((tool) => at(tool, 'function.name'))).toEqual(offered);
      const asked = `Answer with a call of ${whom}, not with text.`;
      expect(listAt(sent, 'messages')).toEqual([{ role: 'user', content: `Hello?\n${asked}` }]);
    }
  });

  test('checklist 236: so is Meta, through responses', async () => {
    const choice = { type: 'tool', name: 'b' };
    const sent = await sentFor('messages', MUSE, { ...tools('messages'), tool_choice: choice });
    expect(sent['tool_choice']).toBe('auto');
    expect(listAt(sent, 'tools').map((tool) => at(tool, 'name'))).toEqual(['b']);
    expect(at(sent, 'input.1.content')).toBe('Answer with a call of the tool "b", not with text.');
  });

  test.each([GLM, MUSE])(
    '%s is asked for no call if only tools of another vendor are given',
    async (model) => {
      const code = { type: 'code_execution_20250825', name: 'code_execution' };
      const sent = await sentFor('messages', model, { tools: [code], tool_choice: { type: 'any' } });
      expect(sent).not.toHaveProperty('tools');
      expect(JSON.stringify(sent)).not.toContain('Answer with a call');
    },
  );

  test.each([GLM, MUSE])('checklist 236: if no tool may be called, %s is offered none', async (model) => {
    const sent = await sentFor('messages', model, { ...tools('messages'), tool_choice: { type: 'none' } });
    expect(sent).not.toHaveProperty('tools');
    expect(sent).not.toHaveProperty('tool_choice');
  });

  test.each([GLM, MUSE])('checklist 236: without a forced tool, nothing changes for %s', async (model) => {
    const sent = await sentFor('messages', model, { ...tools('messages'), tool_choice: { type: 'auto' } });
    expect(sent['tool_choice']).toBe('auto');
    expect(listAt(sent, model === GLM ? 'messages' : 'input')).toMatchObject([{ content: 'Hello?' }]);
  });

  test('checklist 236: Meta accepts no stop sequences either', async () => {
    expect(await sentFor('messages', MUSE, { stop_sequences: ['END'] })).not.toHaveProperty('stop');
  });
});

describe('checklist 237: a request without thinking is answered by a model that always thinks', () => {
  const off = { thinking: { type: 'disabled' } };

  test('checklist 237: Kimi K2.7 Code rejects disabled thinking, so the request enables it', async () => {
    const sent = await sentFor('messages', 'moonshotai/kimi-k2.7-code', off);
    expect(sent['thinking']).toEqual({ type: 'enabled' });
    expect((await sentFor('messages', 'moonshotai/kimi-k2.6', off))['thinking']).toEqual({
      type: 'disabled',
    });
  });

  test('checklist 237: nor does it get a forced tool by name', async () => {
    const choice = { tool_choice: { type: 'tool', name: 'b' } };
    const sent = await sentFor('messages', 'moonshotai/kimi-k2.7-code', { ...tools('messages'), ...choice });
    expect(sent['tool_choice']).toBe('required');
    expect(sent).not.toHaveProperty('thinking');
  });

  /** The field in each attempt of one request, if the first attempt is rejected with this message. */
  async function told(
    model: string,
    more: JsonObject,
    message: string,
    field: string,
  ): Promise<readonly unknown[]> {
    const sent: unknown[] = [];
    door.answers((_, response) => {
      sent.push(door.sent()[field]);
      const refusal = JSON.stringify({ error: { message, code: 400 } });
      const answer = json(completion({ content: 'Yes.' }, 'stop'));
      if (sent.length === 1) response.writeHead(400, { 'content-type': 'application/json' }).end(refusal);
      else response.writeHead(200, { 'content-type': answer.type }).end(answer.body);
    });
    const { status, text } = await door.whole('messages', model, more);
    expect(status, text).toBe(200);
    return sent;
  }

  test('checklist 237: the gateway learns from a rejection that a model always thinks, and applies that to the next request', async () => {
    const message = 'Reasoning is mandatory for this endpoint and cannot be disabled.';
    const sent = await told(THINKING, off, message, 'reasoning');
    expect(sent).toEqual([{ effort: 'none' }, { enabled: true }]);
    expect((await sentFor('messages', THINKING, off))['reasoning']).toEqual({ enabled: true });
  });

  test.each([
    ['"llama3.1:8b" does not support thinking', OLLAMA],
    ['reasoning_effort is not supported with this model', CEREBRAS],
    ['`reasoning_effort` must be one of `none` or `default`', QWEN],
  ])(
    'checklist 243: so it learns that a model does not think, or has no such setting: %s',
    async (message, model) => {
      const asked = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } };
      expect(await told(model, asked, message, 'reasoning_effort')).toEqual(['high', undefined]);
      expect(await sentFor('messages', model, asked)).not.toHaveProperty('reasoning_effort');
    },
  );

  test('checklist 237: a rejection that persists is passed on, and the request is not repeated again and again', async () => {
    const message = 'Reasoning is mandatory for this endpoint and cannot be disabled.';
    door.answers((_, response) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message, code: 400 } })),
    );
    const answer = await door.whole('messages', 'openrouter/a-model', off);
    expect(answer.status).toBe(400);
    expect(at(answer.json, 'error.message')).toBe(message);
    // As it was, without the setting, and in the strictest form.
    expect(door.upstream().received).toHaveLength(3);
  });
});

// OpenHands/software-agent-sdk#987, continuedev/continue#9854, windmill-labs/windmill#10147.
test('checklist 294: GPT also answers an unverified account, without its thoughts', async () => {
  const message =
    'Your organization must be verified to generate reasoning summaries. Please go to: https://x';
  const error = {
    message,
    type: 'invalid_request_error',
    param: 'reasoning.summary',
    code: 'unsupported_value',
  };
  door.answers(({ body }, response) => {
    const isShown = body.includes('"summary"');
    response.writeHead(isShown ? 400 : 200, { 'content-type': 'application/json' });
    const output = [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
      },
    ];
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const answer = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'm',
      status: 'completed',
      output,
      usage,
    };
    response.end(JSON.stringify(isShown ? { error } : answer));
  });
  const asked = {
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: 'low' },
    messages: [{ role: 'user', content: 'Hi' }],
  };
  const reasoning = (): readonly (Json | undefined)[] =>
    door.upstream().received.map(({ body }) => asObject(JSON.parse(body.toString('utf8')))?.['reasoning']);
  const { json: answer, status } = await door.whole('messages', 'openai/gpt-5.4', asked);
  expect([status, at(answer, 'content.0.text')]).toEqual([200, 'Yes.']);
  expect(reasoning()).toEqual([{ effort: 'low', summary: 'auto' }, { effort: 'low' }]);
  // From then on at once.
  expect((await door.whole('messages', 'openai/gpt-5.4', asked)).status).toBe(200);
  expect(reasoning()).toHaveLength(3);
  // A native request passes unchanged, and so does its rejection.
  const native = await door.whole('responses', 'openai/gpt-5.4', {
    reasoning: { effort: 'low', summary: 'auto' },
  });
  expect([native.status, at(native.json, 'error.message')]).toEqual([400, message]);
});

test('checklist 244: Ollama’s models think by default, so the request disables it', async () => {
  const sent = await sentFor('messages', 'ollama/another-model', { thinking: { type: 'disabled' } });
  expect(sent['reasoning_effort']).toBe('none');
});

describe('checklist 238: thinking and forced tools of Qwen at Alibaba use the fields of that service', () => {
  test('checklist 238: by effort alone if it knows efforts: it rejects a budget next to it', async () => {
    const sent = await sentFor('messages', ALIBABA_WORDS, {
      thinking: { type: 'enabled', budget_tokens: 2000 },
    });
    expect(sent['reasoning_effort']).toBe('low');
    expect(sent).not.toHaveProperty('enable_thinking');
    expect(sent).not.toHaveProperty('thinking_budget');
    const off = await sentFor('messages', ALIBABA_WORDS, { thinking: { type: 'disabled' } });
    expect(off['enable_thinking']).toBe(false);
    expect(off).not.toHaveProperty('reasoning_effort');
  });

  test('checklist 238: by a budget elsewhere', async () => {
    const sent = await sentFor('messages', ALIBABA, { thinking: { type: 'enabled', budget_tokens: 2000 } });
    expect(sent).toMatchObject({ enable_thinking: true, thinking_budget: 2000 });
  });

  test.each([ALIBABA, ALIBABA_WORDS])(
    'checklist 238: a forced tool disables thinking that was not requested (%s)',
    async (model) => {
      const choice = { tool_choice: { type: 'tool', name: 'b' } };
      const sent = await sentFor('messages', model, { ...tools('messages'), ...choice });
      expect(sent['enable_thinking']).toBe(false);
      expect(at(sent, 'tool_choice.function.name')).toBe('b');
    },
  );
});

test('checklist 173: Kimi gets the effort in one field, and is never told not to think', async () => {
  for (const [thinking, effort] of [
    [{ type: 'enabled', budget_tokens: 2000 }, 'low'],
    [{ type: 'disabled' }, 'low'],
  ]) {
    const sent = await sentFor('messages', KIMI, { thinking: thinking ?? null });
    expect(sent['reasoning_effort']).toBe(effort);
    expect(sent).not.toHaveProperty('thinking');
  }
});

describe('checklist 174: usual settings that a service rejects are not sent there', () => {
  const asked = { temperature: 0.5, top_p: 0.9, stop_sequences: ['END'] };

  test.each([KIMI, 'moonshotai/kimi-k2.6', 'moonshotai/kimi-k2.7-code'])(
    'checklist 174: %s has a fixed temperature',
    async (model) => {
      const sent = await sentFor('messages', model, asked);
      expect(sent).not.toHaveProperty('temperature');
      expect(sent).not.toHaveProperty('top_p');
      expect(sent['stop']).toEqual(['END']);
    },
  );

  test('checklist 174: Grok, which thinks, accepts no stop sequence', async () => {
    const sent = await sentFor('messages', 'x-ai/grok-4.6', asked);
    expect(sent).toMatchObject({ temperature: 0.5, top_p: 0.9 });
    expect(sent).not.toHaveProperty('stop');
  });
});

describe('checklist 255: an unverified account, to which OpenAI does not stream, gets answers', () => {
  const message = 'Your organization must be verified to stream this model. Please go to: https://x';
  const error = { message, type: 'invalid_request_error', param: 'stream', code: 'unsupported_value' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const output = [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
    },
  ];
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'completed',
    output,
  };
  const told = {
    ...response,
    usage: {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    },
  };
  const streams = (): readonly boolean[] =>
    door
      .upstream()
      .received.map(({ body }) => body.includes('"stream":true') || body.includes('stream_options'));

  beforeEach(() => {
    door.answers(({ body, url }, answer) => {
      const refused = body.includes('"stream":true');
      answer.writeHead(refused ? 400 : 200, { 'content-type': 'application/json' });
      const said = url.endsWith('/responses') ? told : completion({ content: 'Yes.' }, 'stop', { usage });
      answer.end(JSON.stringify(refused ? { error } : said));
    });
  });

  test.each([
    [
      'chat-completions',
      'openai/gpt-5.4',
      { stream_options: { include_usage: true, include_obfuscation: false } },
    ],
    ['responses', 'openai/gpt-5.5', {}],
    ['messages', 'openai/gpt-5.6-sol', {}],
  ] as const)('checklist 255: a stream of %s', async (from, model, more) => {
    const { reply } = await door.stream(from, model, more);
    expect(reply().choices[0]?.parts).toMatchObject([{ kind: 'text', text: 'Yes.' }]);
    expect(streams()).toEqual([true, false]);
    // From then on at once.
    const again = await door.stream(from, model, more);
    expect(again.reply().choices[0]?.parts).toMatchObject([{ kind: 'text', text: 'Yes.' }]);
    expect(streams()).toEqual([true, false, false]);
    expect(await door.sentFor(from, model, {})).not.toHaveProperty('stream');
  });
});
