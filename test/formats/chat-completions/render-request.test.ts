/** Prompts of callers of other formats, rendered for services of this format. */

import { describe, expect, test } from 'vitest';
import type { Part, Prompt, Thinking, ToolCallPart, Turn } from '../../../src/conversation/prompt.ts';
import { dialectNames, findDialect } from '../../../src/formats/chat-completions/dialects.ts';
import { callIdFor, toolNameFor } from '../../../src/formats/chat-completions/outbound/tool-names.ts';
import type { ModelTraits, Note } from '../../../src/formats/format.ts';
import { changedNames } from '../../../src/formats/safe-names.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { asObject, asObjects, asText, type Json, type JsonObject } from '../../../src/lib/json.ts';
import { chatRequest } from '../../../src/sandbox/schemas/chat-completions.ts';
import { PERMISSIVE } from '../../support/meaning.ts';
import { modelOf } from '../../support/model-traits.ts';
import { REASONING, rendered } from './requests.ts';

const text = (words: string): Part => ({ kind: 'text', text: words });
const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const system = (...parts: Part[]): Turn => ({ role: 'system', parts });
const call = (id: string, name = 'f', more: Partial<ToolCallPart> = {}): Part => ({
  kind: 'tool-call',
  id,
  name,
  arguments: '{"a":1}',
  ...more,
});
const result = (id: string, ...content: (Part & { kind: 'text' | 'media' })[]): Part => ({
  kind: 'tool-result',
  id,
  content,
});
const say = (words: string): Part & { kind: 'text' } => ({ kind: 'text', text: words });
const IMAGE = {
  kind: 'media',
  media: 'image',
  mediaType: 'image/png',
  source: { kind: 'base64', data: 'AA==' },
} as const;
const PDF = {
  kind: 'media',
  media: 'document',
  mediaType: 'application/pdf',
  source: { kind: 'base64', data: 'JVBE' },
} as const;

const promptOf = (more: Partial<Prompt>): Prompt => ({
  model: 'm',
  turns: [user(text('Hi'))],
  stream: false,
  ...more,
});

const body = (
  more: Partial<Prompt>,
  target: ModelTraits | string = 'openai',
  notes: Note[] = [],
): JsonObject => rendered(promptOf(more), typeof target === 'string' ? modelOf(target) : target, notes);

const messages = (
  turns: Turn[],
  target: ModelTraits | string = 'openai',
  notes: Note[] = [],
): readonly JsonObject[] => asObjects(body({ turns }, target, notes)['messages']);

const told = (notes: readonly Note[]): string[] => notes.map(({ field, outcome }) => `${field} ${outcome}`);

describe('settings', () => {
  test.each<[string, Json | undefined, Json | undefined]>([
    ['openai', undefined, 500],
    ['azure', undefined, 500],
    ['', 500, undefined],
    ['mistral', 500, undefined],
    ['deepseek', 500, undefined],
    ['unheard-of', 500, undefined],
  ])("the limit of the answer at '%s'", (dialect, old, young) => {
    const said = body({ maxTokens: 500 }, dialect);
    expect(said['max_tokens']).toBe(old);
    expect(said['max_completion_tokens']).toBe(young);
  });

  test("a limit above the model's maximum becomes the maximum", () => {
    const notes: Note[] = [];
    expect(body({ maxTokens: 900_000 }, 'openai', notes)['max_completion_tokens']).toBe(64_000);
    expect(told(notes)).toEqual(['maxTokens approximated']);
  });

  const warm: Partial<Prompt> = {
    temperature: 0.5,
    topP: 0.9,
    frequencyPenalty: 1,
    presencePenalty: 1,
    logprobs: true,
    topLogprobs: 2,
    stop: ['a'],
  };

  test('a model with sampling gets its parameters', () => {
    const notes: Note[] = [];
    expect(body(warm, 'openai', notes)).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      frequency_penalty: 1,
      presence_penalty: 1,
      logprobs: true,
      top_logprobs: 2,
      stop: ['a'],
    });
    expect(notes).toEqual([]);
  });

  test('a model without sampling gets none, and each is reported', () => {
    const notes: Note[] = [];
    expect(Object.keys(body(warm, REASONING, notes))).toEqual(['model', 'messages']);
    const left = ['temperature', 'topP', 'frequencyPenalty', 'presencePenalty', 'logprobs', 'topLogprobs'];
    expect(told(notes)).toEqual([...left.map((field) => `${field} dropped`), 'stop approximated']);
    expect(body(warm, { ...REASONING, dialect: 'deepseek' })['stop']).toEqual(['a']);
  });

  test.each(dialectNames)("a stream asks '%s' for usage if it has to be asked for", (dialect) => {
    const said = body({ stream: true, includeUsage: false }, dialect);
    expect(said['stream']).toBe(true);
    expect(said['stream_options']).toEqual(
      dialect.startsWith('mistral') ? undefined : { include_usage: true },
    );
    expect(body({}, dialect)).not.toHaveProperty('stream_options');
  });

  test('Mistral, which refuses unknown fields, gets none', () => {
    const notes: Note[] = [];
    const asked = {
      seed: 3,
      user: 'u',
      topK: 4,
      logprobs: true,
      serviceTier: 'flex',
      parallelToolCalls: false,
    };
    const said = body(
      { ...asked, tools: [{ kind: 'function', name: 'f' }], toolChoice: { mode: 'required' } },
      'mistral',
      notes,
    );
    expect(said).toEqual({
      model: 'a-model',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
      tool_choice: 'any',
      parallel_tool_calls: false,
      random_seed: 3,
    });
    expect(told(notes).sort()).toEqual([
      'logprobs dropped',
      'serviceTier dropped',
      'topK dropped',
      'user dropped',
    ]);
    expect(body({ logprobs: false }, 'mistral')).not.toHaveProperty('logprobs');
    const none: Note[] = [];
    expect(body({ topK: 0 }, 'mistral', none)).not.toHaveProperty('top_k');
    expect(none).toEqual([]);
  });

  test('a long user is cut to what the service takes', () => {
    const long = 'u'.repeat(150);
    expect(asText(body({ user: long }, 'openai')['user'])).toHaveLength(64);
    expect(asText(body({ user: long }, 'openrouter')['user'])).toHaveLength(128);
    expect(body({ user: long }, '')['user']).toBe(long);
  });

  test("fields of OpenAI's other format are sent to OpenAI", () => {
    const fields = {
      prompt_cache_key: 'k',
      safety_identifier: 's',
      text: { verbosity: 'low' },
      include: ['x'],
    };
    const own = { format: 'responses', fields } as const;
    const notes: Note[] = [];
    expect(body({ formatSpecific: own }, 'openai', notes)).toMatchObject({
      prompt_cache_key: 'k',
      safety_identifier: 's',
      verbosity: 'low',
    });
    expect(told(notes)).toEqual(['own.include dropped']);
    const others: Note[] = [];
    expect(Object.keys(body({ formatSpecific: own }, 'deepseek', others))).toEqual(['model', 'messages']);
    expect(told(others)).toHaveLength(4);
  });

  test.each(['mistral', 'fireworks', 'moonshotai'])(
    '%s gets a key for what belongs together, or it caches little',
    (dialect) => {
      const fields = { prompt_cache_key: 'k', safety_identifier: 's' };
      const notes: Note[] = [];
      const own = { format: 'responses', fields } as const;
      expect(body({ formatSpecific: own }, dialect, notes)).toMatchObject({ prompt_cache_key: 'k' });
      expect(told(notes)).toEqual(['own.safety_identifier dropped']);
      const named = { user: 'session_1', formatSpecific: { format: 'messages', fields: {} } } as const;
      expect(body(named, dialect)['prompt_cache_key']).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  test.each(['x-ai', 'openrouter'])('%s gets it in a header', (dialect) => {
    const notes: Note[] = [];
    const own = { format: 'responses', fields: { prompt_cache_key: 'k', safety_identifier: 's' } } as const;
    expect(Object.keys(body({ formatSpecific: own }, dialect, notes))).toEqual(['model', 'messages']);
    expect(told(notes)).toEqual(['own.safety_identifier dropped']);
  });

  test('unknown fields pass on, and never override known ones', () => {
    expect(body({ unknownFields: { nope: 1, model: 'other', messages: [] } })).toMatchObject({
      nope: 1,
      model: 'a-model',
      messages: [{ content: 'Hi' }],
    });
  });
});

describe('thinking', () => {
  const thinks = (
    dialect: string,
    more: Partial<NonNullable<ModelTraits['thinking']>> = {},
  ): ModelTraits => ({
    ...REASONING,
    dialect,
    thinking: { kinds: ['effort'], efforts: ['low', 'medium', 'high'], canDisable: false, ...more },
  });

  test.each<[Thinking, ModelTraits, JsonObject]>([
    [{ effort: 'medium' }, REASONING, { reasoning_effort: 'medium' }],
    [{ effort: 'max' }, REASONING, { reasoning_effort: 'high' }],
    [{ effort: 'none' }, REASONING, { reasoning_effort: 'low' }],
    [{ budget: 4096 }, REASONING, { reasoning_effort: 'low' }],
    [{ budget: 16_384 }, REASONING, { reasoning_effort: 'medium' }],
    [{ budget: 16_385 }, REASONING, { reasoning_effort: 'high' }],
    [{ budget: 10_000 }, PERMISSIVE, { reasoning_effort: 'medium' }],
    [{ adaptive: true }, REASONING, {}],
    [{ visible: true }, REASONING, {}],
    [{ effort: 'high' }, modelOf('openai'), {}],
    [{ effort: 'high' }, modelOf('xai'), {}],
    [{ effort: 'max' }, modelOf('unheard-of'), { reasoning_effort: 'high' }],
    [{ effort: 'xhigh' }, modelOf('unheard-of'), { reasoning_effort: 'high' }],
    [{ effort: 'minimal' }, modelOf('unheard-of'), { reasoning_effort: 'low' }],
    [{ effort: 'none' }, modelOf('unheard-of'), {}],
    [{ budget: 9000 }, modelOf('deepseek'), { thinking: { type: 'enabled' } }],
    [{ effort: 'none' }, modelOf('deepseek'), { thinking: { type: 'disabled' } }],
    [{ adaptive: true }, modelOf('zai'), { thinking: { type: 'enabled' } }],
    [{ visible: true }, modelOf('zai'), {}],
    [
      { effort: 'low' },
      thinks('deepseek', { efforts: ['high', 'max'] }),
      { thinking: { type: 'enabled' }, reasoning_effort: 'high' },
    ],
    [{ budget: 500 }, modelOf('alibaba'), { enable_thinking: true, thinking_budget: 500 }],
    [{ effort: 'none' }, modelOf('alibaba'), { enable_thinking: false }],
    [
      { budget: 5000 },
      thinks('alibaba', { kinds: ['budget'], efforts: [], budget: { min: 1, max: 4000 } }),
      { enable_thinking: true, thinking_budget: 4000 },
    ],
    [
      { budget: 5000, visible: false },
      modelOf('openrouter'),
      { reasoning: { max_tokens: 5000, exclude: true } },
    ],
    [{ effort: 'xhigh' }, modelOf('openrouter'), { reasoning: { effort: 'xhigh' } }],
    [{ adaptive: true }, modelOf('openrouter'), { reasoning: { enabled: true } }],
    [{ budget: 5000 }, thinks('openrouter'), { reasoning: { effort: 'medium' } }],
  ])('%j', (thinking, target, expected) => {
    const { model: _, messages: _messages, ...said } = body({ thinking }, target);
    expect(said).toEqual(expected);
  });

  test.each<[Thinking | undefined, string, JsonObject]>([
    [{ effort: 'high' }, 'alibaba', { enable_thinking: false }],
    [undefined, 'alibaba', { enable_thinking: false }],
    [undefined, 'moonshot', { thinking: { type: 'disabled' } }],
  ])('where a tool is forced: %j at %s', (thinking, dialect, expected) => {
    const forced: Partial<Prompt> = {
      tools: [{ kind: 'function', name: 'f', parameters: { type: 'object', properties: {} } }],
      toolChoice: { mode: 'required' },
      ...(thinking && { thinking }),
    };
    const {
      model: _,
      messages: _messages,
      tools: _tools,
      tool_choice,
      ...said
    } = body(forced, modelOf(dialect));
    expect(tool_choice).toBe('required');
    expect(said).toEqual(expected);
  });

  test('a changed setting is reported, and a default is not', () => {
    const notes = (thinking: Thinking, target: ModelTraits): string[] => {
      const all: Note[] = [];
      body({ thinking }, target, all);
      return told(all);
    };
    expect(notes({ effort: 'low' }, REASONING)).toEqual([]);
    expect(notes({ adaptive: true }, REASONING)).toEqual([]);
    expect(notes({ budget: 500 }, REASONING)).toEqual(['thinking approximated']);
    expect(notes({ effort: 'max' }, REASONING)).toEqual(['thinking approximated']);
    expect(notes({ effort: 'low' }, modelOf('openai'))).toEqual(['thinking dropped']);
    expect(notes({ effort: 'none' }, modelOf('openai'))).toEqual([]);
    expect(notes({ effort: 'low', visible: false }, REASONING)).toEqual(['thinking approximated']);
  });
});

describe('system', () => {
  test("is the developer for OpenAI's reasoning models, and the system elsewhere", () => {
    const turns = [system(text('S')), user(text('Hi'))];
    expect(messages(turns, REASONING)[0]?.['role']).toBe('developer');
    expect(messages(turns, 'openai')[0]?.['role']).toBe('system');
    const said: Turn[] = [{ ...system(text('S')), developer: true }, user(text('Hi'))];
    expect(messages(said, 'openai')[0]?.['role']).toBe('developer');
    expect(messages(said, 'mistral')[0]?.['role']).toBe('system');
  });

  const scattered = [
    system(text('A')),
    system(text('B')),
    user(text('1')),
    assistant(text('2')),
    system(text('C')),
    user(text('3')),
  ];

  test('stays in its place if the service allows it', () => {
    expect(messages(scattered, 'deepseek').map(({ role, content }) => [role, content])).toEqual([
      ['system', 'A'],
      ['system', 'B'],
      ['user', '1'],
      ['assistant', '2'],
      ['system', 'C'],
      ['user', '3'],
    ]);
  });

  test('otherwise comes first, and later ones become user messages, all in order', () => {
    const notes: Note[] = [];
    expect(messages(scattered, 'mistral', notes).map(({ role, content }) => [role, content])).toEqual([
      ['system', 'A\nB'],
      ['user', '1'],
      ['assistant', '2'],
      ['user', '<system>\nC\n</system>\n3'],
    ]);
    expect(told(notes)).toEqual(['turns[].role approximated']);
  });
});

describe('calls and results', () => {
  test("results follow their calls, in order, and the user's content comes after", () => {
    const turns = [
      user(text('Go')),
      assistant(text('Yes.'), call('a'), call('b')),
      user(text('Well?'), result('b', say('B')), result('a', say('A'))),
    ];
    expect(messages(turns)).toEqual([
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        content: 'Yes.',
        tool_calls: ['a', 'b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'f', arguments: '{"a":1}' },
        })),
      },
      { role: 'tool', tool_call_id: 'a', content: 'A' },
      { role: 'tool', tool_call_id: 'b', content: 'B' },
      { role: 'user', content: 'Well?' },
    ]);
  });

  test('an assistant may speak first', () => {
    expect(messages([assistant(text('Hello')), user(text('Hi'))]).map(({ role }) => role)).toEqual([
      'assistant',
      'user',
    ]);
  });

  test('arguments are JSON, and are sent as written', () => {
    const written = ['{"n": 12345678901234567890}', ''].map((json) =>
      call(`id${json.length}`, 'f', { arguments: json }),
    );
    const said = messages([
      user(text('Go')),
      assistant(...written),
      user(result('id27', say('1')), result('id0', say('2'))),
    ]);
    expect(
      asObjects(said[1]?.['tool_calls']).map((made) => asObject(made['function'])?.['arguments']),
    ).toEqual(['{"n": 12345678901234567890}', '{}']);
    expect(said[1]?.['content']).toBeNull();
  });

  test('images and files of a result follow in a user message, after all results and before the content', () => {
    const turns = [
      user(text('Go')),
      assistant(call('a', 'shot'), call('b')),
      user(
        { kind: 'tool-result', id: 'a', name: 'shot', content: [IMAGE] },
        result('b', say('B'), PDF),
        text('See?'),
      ),
    ];
    const notes: Note[] = [];
    const said = messages(turns, 'openai', notes);
    expect(said.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'The result is in the next user message.' },
      { role: 'tool', tool_call_id: 'b', content: 'B' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of shot:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'text', text: 'From the result of b:' },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'document.pdf' } },
          { type: 'text', text: 'See?' },
        ],
      },
    ]);
    expect(told(notes)).toEqual(Array(2).fill('turns[].content approximated'));
    expect(messages(turns, '')[2]?.['content']).toEqual([
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ]);
  });

  test('an image of the user is not taken for one of a result where the user may not speak after results', () => {
    const strict = { ...modelOf('deepseek'), avoids: new Set(['user-after-tool'] as const) };
    const asked = (...said: Part[]) =>
      messages([user(text('Go')), assistant(call('a')), user(result('a', say('A')), ...said)], strict).slice(
        2,
      );
    expect(asked(text('See?'))).toEqual([{ role: 'tool', tool_call_id: 'a', content: 'A\nSee?' }]);
    expect(asked(text('See?'), IMAGE)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'A' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
    ]);
  });

  test.each<[string, string]>([
    ['no such file', 'Error: no such file'],
    ['Error: no such file', 'Error: no such file'],
    ['<tool_use_error>no</tool_use_error>', '<tool_use_error>no</tool_use_error>'],
  ])('a failed result says so: %s', (words, expected) => {
    const failed: Part = { kind: 'tool-result', id: 'a', content: [say(words)], isError: true };
    expect(messages([user(text('Go')), assistant(call('a')), user(failed)])[2]?.['content']).toBe(expected);
  });

  test('a failed empty result says so too', () => {
    const failed: Part = { kind: 'tool-result', id: 'a', content: [], isError: true };
    expect(messages([user(text('Go')), assistant(call('a')), user(failed)])[2]?.['content']).toBe('Error');
  });

  test('at Mistral no user message follows a tool message', () => {
    const notes: Note[] = [];
    const turns = [
      user(text('Go')),
      assistant(call('toolu_01A')),
      user(result('toolu_01A', say('A')), text('Now?'), IMAGE),
    ];
    const said = messages(turns, 'mistral', notes);
    const id = asText(asObjects(said[1]?.['tool_calls'])[0]?.['id']);
    expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(said.slice(2)).toEqual([
      {
        role: 'tool',
        tool_call_id: id,
        content: [
          { type: 'text', text: 'A' },
          { type: 'text', text: 'Now?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
    ]);
    expect(told(notes)).toEqual(['turns[].content approximated']);
    const several = user(result('a', say('A')), result('b', say('B')), text('Now?'));
    const both = messages([user(text('Go')), assistant(call('a'), call('b')), several], 'mistral');
    expect(both.slice(2).map(({ role, content }) => [role, content])).toEqual([
      ['tool', 'A'],
      ['tool', 'B\nNow?'],
    ]);
  });

  test('custom tools become functions if the service has none, with their calls and results', () => {
    const prompt = {
      tools: [{ kind: 'custom', name: 'calc', description: 'd' }],
      turns: [
        user(text('Go')),
        assistant(call('a', 'calc', { arguments: '1+1', custom: true })),
        user(result('a', say('2'))),
      ],
    } satisfies Partial<Prompt>;
    const wrapped = body(prompt, 'deepseek');
    expect(wrapped['tools']).toMatchObject([
      { type: 'function', function: { name: 'calc', parameters: { required: ['input'] } } },
    ]);
    expect(asObjects(wrapped['messages'])[1]).toMatchObject({
      tool_calls: [{ type: 'function', function: { name: 'calc', arguments: '{"input":"1+1"}' } }],
    });
    const plain = body(prompt, 'openai');
    expect(plain['tools']).toEqual([{ type: 'custom', custom: { name: 'calc', description: 'd' } }]);
    expect(asObjects(plain['messages'])[1]).toMatchObject({
      tool_calls: [{ type: 'custom', custom: { name: 'calc', input: '1+1' } }],
    });
  });

  test('a grammar of the other format is nested', () => {
    const format = { type: 'grammar', syntax: 'regex', definition: '[0-9]+' };
    expect(body({ tools: [{ kind: 'custom', name: 'c', format }] })['tools']).toMatchObject([
      { custom: { format: { type: 'grammar', grammar: { syntax: 'regex', definition: '[0-9]+' } } } },
    ]);
  });
});

describe('the choice of tools', () => {
  const tools = ['f', 'g', 'h'].map((name) => ({ kind: 'function', name }) as const);
  const named = (name: string) => ({ type: 'function', function: { name } });

  test.each<[Prompt['toolChoice'], string, Json]>([
    [{ mode: 'auto' }, 'openai', 'auto'],
    [{ mode: 'none' }, 'openai', 'none'],
    [{ mode: 'required' }, 'openai', 'required'],
    [{ mode: 'required' }, 'mistral', 'any'],
    [{ mode: 'required', allowed: ['f'] }, 'mistral', named('f')],
    [
      { mode: 'auto', allowed: ['f', 'g'] },
      'openai',
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named('f'), named('g')] } },
    ],
    [{ mode: 'none', allowed: ['f'] }, 'openai', 'none'],
  ])('%j at %s', (toolChoice, dialect, expected) => {
    const said = body({ tools, ...(toolChoice && { toolChoice }) }, dialect);
    expect(said['tool_choice']).toEqual(expected);
    expect(said['tools']).toHaveLength(3);
  });

  test('only the allowed tools are sent if the service has no allowed_tools', () => {
    const said = body({ tools, toolChoice: { mode: 'auto', allowed: ['g'] } }, 'deepseek');
    expect(said['tool_choice']).toBe('auto');
    expect(said['tools']).toMatchObject([named('g')]);
  });

  test('without any tool left there is no choice', () => {
    const hosted = [
      { kind: 'hosted', format: 'messages', value: { type: 'bash_20250124', name: 'bash' } },
    ] as const;
    const notes: Note[] = [];
    const said = body(
      { tools: hosted, toolChoice: { mode: 'auto' }, parallelToolCalls: false },
      'openai',
      notes,
    );
    expect(Object.keys(said)).toEqual(['model', 'messages']);
    expect(told(notes)).toEqual(['tools[].type dropped']);
  });

  test('web search is sent to services that have it', () => {
    const value = {
      type: 'web_search_20250305',
      name: 'web_search',
      user_location: { type: 'approximate', city: 'Oslo' },
    };
    const hosted = [{ kind: 'hosted', format: 'messages', value, webSearch: true }] as const;
    expect(body({ tools: hosted }, 'openrouter')['web_search_options']).toEqual({
      user_location: { type: 'approximate', approximate: { city: 'Oslo' } },
    });
    expect(body({ tools: hosted }, 'openai')).not.toHaveProperty('web_search_options');
  });
});

describe('names and ids', () => {
  const strict = findDialect('openai');

  test('invalid names are changed, stay distinct, and are found again', () => {
    const names = [
      'mcp.server:find',
      'mcp.server/find',
      'x'.repeat(70),
      `${'x'.repeat(69)}y`,
      'größe',
      '',
      'ok_name-1',
    ];
    const made = names.map((name) => toolNameFor(name, strict));
    for (const name of made) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(made).size).toBe(names.length);
    expect(made.at(-1)).toBe('ok_name-1');
    const tools = names.map((name) => ({ kind: 'function', name }) as const);
    const back = changedNames(tools, (name) => toolNameFor(name, strict));
    expect(made.map((name) => back.get(name) ?? name)).toEqual(names);
  });

  test('a call and its tool are renamed alike', () => {
    const said = body({
      tools: [{ kind: 'function', name: 'a.b' }],
      toolChoice: { mode: 'required', allowed: ['a.b'] },
      turns: [user(text('Go')), assistant(call('1', 'a.b')), user(result('1', say('x')))],
    });
    const name = toolNameFor('a.b', strict);
    expect(said).toMatchObject({
      tools: [{ function: { name } }],
      tool_choice: { function: { name } },
      messages: [{}, { tool_calls: [{ function: { name } }] }, {}],
    });
  });

  test('ids of nine characters are stable and distinct', () => {
    const nine = findDialect('mistral');
    const ids = Array.from({ length: 50_000 }, (_, at) => `call_${at}`);
    const made = new Set(ids.map((id) => callIdFor(id, nine)));
    expect(made.size).toBe(ids.length);
    expect(callIdFor('call_1', nine)).toBe(callIdFor('call_1', nine));
    expect(callIdFor('abcDEF123', nine)).toBe('abcDEF123');
    expect(callIdFor('x'.repeat(64), strict).length).toBeLessThanOrEqual(40);
  });
});

describe('thoughts of earlier turns', () => {
  const signature = { origin: 'anthropic', value: 'SIG' } as const;
  const redacted = { origin: 'anthropic', value: 'RED' } as const;
  const turns = [
    user(text('Go')),
    assistant(
      { kind: 'thinking', text: 'Hm.', signature },
      { kind: 'thinking', text: '', redacted },
      text('Yes.'),
    ),
    user(text('On')),
  ];
  const said = (target: ModelTraits | string): JsonObject => {
    const { role: _, ...fields } = messages(turns, target)[1] ?? {};
    return fields;
  };

  test.each<[ModelTraits | string, JsonObject]>([
    ['openai', { content: 'Yes.' }],
    ['deepseek', { content: 'Yes.', reasoning_content: 'Hm.' }],
    ['unheard-of', { content: 'Yes.', reasoning_content: 'Hm.' }],
    ['groq', { content: 'Yes.', reasoning: 'Hm.' }],
    ['mistral', { content: 'Yes.' }],
    [
      { ...REASONING, dialect: 'mistral' },
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
          { type: 'text', text: 'Yes.' },
        ],
      },
    ],
    [
      '',
      {
        content: 'Yes.',
        reasoning_content: 'Hm.',
        thinking_blocks: [
          { type: 'thinking', thinking: 'Hm.', signature: 'SIG' },
          { type: 'redacted_thinking', data: 'RED' },
        ],
      },
    ],
    [
      'openrouter',
      {
        content: 'Yes.',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm.', signature: 'SIG', format: 'anthropic-claude-v1', index: 0 },
          { type: 'reasoning.encrypted', data: 'RED', format: 'anthropic-claude-v1', index: 1 },
        ],
      },
    ],
  ])('at %j', (target, expected) => {
    expect(said(target)).toEqual(expected);
  });

  test.each<[ModelTraits | string, JsonObject]>([
    ['deepseek', { reasoning_content: '**One**\n\n**Two**\nAnd more.' }],
    ['unheard-of', { reasoning_content: '**One**\n\n**Two**\nAnd more.' }],
    ['groq', { reasoning: '**One**\n\n**Two**\nAnd more.' }],
    [
      { ...REASONING, dialect: 'mistral' },
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: '**One**\n\n**Two**\nAnd more.' }] },
          { type: 'text', text: 'Yes.' },
        ],
      },
    ],
    [
      'openrouter',
      {
        reasoning_details: [
          { type: 'reasoning.text', text: '**One**', format: 'unknown', index: 0 },
          { type: 'reasoning.text', text: '', format: 'unknown', index: 1 },
          { type: 'reasoning.text', text: '**Two**\n', format: 'unknown', index: 2 },
          { type: 'reasoning.text', text: 'And more.', format: 'unknown', index: 3 },
        ],
      },
    ],
  ])('several at %j: one text with what separates them in answers', (target, expected) => {
    const thoughts = ['**One**', '', '**Two**\n', 'And more.'].map((thought) => ({
      kind: 'thinking' as const,
      text: thought,
    }));
    const several = [user(text('Go')), assistant(...thoughts, text('Yes.')), user(text('On'))];
    expect(messages(several, target)[1]).toEqual({ role: 'assistant', content: 'Yes.', ...expected });
  });

  test.each(['deepseek', 'moonshotai', 'mistral'])(
    'thoughts that nothing follows but a signature are left out at %s',
    (dialect) => {
      const signed: Part = { kind: 'text', text: '', signature: { origin: 'google', value: 'SIG' } };
      const cut = [user(text('Go')), assistant({ kind: 'thinking', text: 'Hm.' }, signed), user(text('On'))];
      expect(messages(cut, { ...REASONING, dialect }).map(({ role }) => role)).not.toContain('assistant');
    },
  );

  test('no signature reaches a service that did not make it, and each is reported', () => {
    for (const dialect of dialectNames.filter((name) => findDialect(name).signatures === 'none')) {
      if (findDialect(dialect).reasoningHistory === 'reasoning_details') continue;
      const notes: Note[] = [];
      const sent = JSON.stringify(messages(turns, dialect, notes));
      expect(sent).not.toMatch(/SIG|RED/);
      expect(
        told(notes).filter((note) => /^turns\[\]\.(signature|thinking) dropped$/.test(note)).length,
      ).toBeGreaterThan(0);
    }
  });

  test("a foreign signature is sealed in Anthropic's field", () => {
    const foreign = assistant(
      { kind: 'thinking', text: '', signature: { origin: 'openai', value: 'E' } },
      text('Yes.'),
    );
    expect(messages([user(text('Go')), foreign, user(text('On'))], '')[1]).toMatchObject({
      thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'openai#E' }],
    });
  });

  test("OpenAI's encrypted reasoning goes back to a router after its summary", () => {
    const signature = { origin: 'openai', value: 'E' } as const;
    const format = 'openai-responses-v1';
    const details = (thought: string) =>
      messages(
        [
          user(text('Go')),
          assistant({ kind: 'thinking', text: thought, signature }, text('Yes.')),
          user(text('On')),
        ],
        'openrouter',
      )[1]?.['reasoning_details'];
    expect(details('Hm.')).toEqual([
      { type: 'reasoning.summary', summary: 'Hm.', format, index: 0 },
      { type: 'reasoning.encrypted', data: 'E', format, index: 1 },
    ]);
    expect(details('')).toEqual([{ type: 'reasoning.encrypted', data: 'E', format, index: 0 }]);
  });

  test('a call that must have thoughts gets a space, unless thinking is off', () => {
    const looped = [user(text('Go')), assistant(call('a')), user(result('a', say('A')))];
    for (const dialect of ['deepseek', 'moonshotai']) {
      expect(messages(looped, dialect)[1]?.['reasoning_content']).toBe(' ');
      const off = body({ turns: looped, thinking: { effort: 'none' } }, dialect);
      expect(asObjects(off['messages'])[1]).not.toHaveProperty('reasoning_content');
    }
    expect(messages(looped, 'openai')[1]).not.toHaveProperty('reasoning_content');
  });

  test("Google's signature on a call goes to Google, directly or through a router", () => {
    const signed = [
      user(text('Go')),
      assistant(call('a', 'f', { signature: { origin: 'google', value: 'G' } })),
      user(result('a', say('A'))),
    ];
    const extra_content = { google: { thought_signature: 'G' } };
    expect(messages(signed, 'google')[1]).toMatchObject({ tool_calls: [{ extra_content }] });
    expect(messages(signed, '')[1]).toMatchObject({ tool_calls: [{ extra_content }] });
    expect(messages(signed, 'openrouter')[1]).toMatchObject({
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'G', id: 'a', format: 'google-gemini-v1' }],
    });
    expect(JSON.stringify(messages(signed, 'openai'))).not.toContain('"G"');
  });

  test("Google's signature on a text goes back to a router as it came, without an id", () => {
    const signature = { origin: 'google', value: 'T' } as const;
    const detail = { type: 'reasoning.encrypted', data: 'T', format: 'google-gemini-v1' };
    const said = (...parts: Part[]) =>
      messages([user(text('Go')), assistant(...parts), user(text('On'))], 'openrouter')[1];
    expect(said({ kind: 'text', text: 'Yes.', signature })).toEqual({
      role: 'assistant',
      content: 'Yes.',
      reasoning_details: [{ ...detail, index: 0 }],
    });
    expect(
      said({ kind: 'thinking', text: 'Hm.' }, { kind: 'text', text: 'Yes.', signature })?.[
        'reasoning_details'
      ],
    ).toEqual([
      { type: 'reasoning.text', text: 'Hm.', format: 'unknown', index: 0 },
      { ...detail, index: 1 },
    ]);
    const foreign: Part = { kind: 'text', text: 'Yes.', signature: { origin: 'anthropic', value: 'T' } };
    expect(said(foreign)).toEqual({ role: 'assistant', content: 'Yes.' });
  });
});

describe('content', () => {
  test('several texts are a list, or one text if the service requires it', () => {
    const turns = [
      system(text('A'), text('B')),
      user(text('C'), text('D')),
      assistant(text('E'), text('F')),
      user(text('G')),
    ];
    expect(messages(turns, 'deepseek').map(({ content }) => content)).toEqual(['A\nB', 'C\nD', 'EF', 'G']);
    expect(messages(turns, 'openai')[0]?.['content']).toEqual([
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
    ]);
  });

  test.each<[Part, string, Json]>([
    [IMAGE, 'openai', { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
    [
      { ...IMAGE, source: { kind: 'url', url: 'https://a.example/b' }, detail: 'low' },
      'openai',
      { type: 'image_url', image_url: { url: 'https://a.example/b', detail: 'low' } },
    ],
    [
      { ...PDF, name: 'a.pdf' },
      'openai',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' } },
    ],
    [
      { ...PDF, mediaType: 'text/plain; charset=utf-8' },
      'openai',
      {
        type: 'file',
        file: { file_data: 'data:text/plain; charset=utf-8;base64,JVBE', filename: 'document.txt' },
      },
    ],
    [PDF, 'mistral', { type: 'document_url', document_url: 'data:application/pdf;base64,JVBE' }],
    [
      { ...PDF, source: { kind: 'url', url: 'https://a.example/b.pdf' } },
      'openrouter',
      { type: 'file', file: { file_data: 'https://a.example/b.pdf' } },
    ],
    [{ ...PDF, source: { kind: 'text', text: 'T' }, name: 'N' }, 'openai', { type: 'text', text: 'N\n\nT' }],
    [
      { ...PDF, source: { kind: 'file', id: 'file-1', format: 'responses' } },
      'openai',
      { type: 'file', file: { file_id: 'file-1' } },
    ],
    [
      { kind: 'media', media: 'audio', mediaType: 'audio/mpeg', source: { kind: 'base64', data: 'A' } },
      'openai',
      { type: 'input_audio', input_audio: { data: 'A', format: 'mp3' } },
    ],
    [
      { kind: 'media', media: 'video', mediaType: 'video/mp4', source: { kind: 'base64', data: 'A' } },
      'openrouter',
      { type: 'video_url', video_url: { url: 'data:video/mp4;base64,A' } },
    ],
  ])('%j at %s', (part, dialect, expected) => {
    expect(messages([user(text('See'), part)], dialect)[0]?.['content']).toEqual([
      { type: 'text', text: 'See' },
      expected,
    ]);
  });

  test.each<[Part, string, RegExp]>([
    [
      { kind: 'media', media: 'video', source: { kind: 'url', url: 'https://a.example' } },
      'openai',
      /^Video/,
    ],
    [
      { kind: 'media', media: 'audio', source: { kind: 'url', url: 'https://a.example' } },
      'openai',
      /^Audio/,
    ],
    [{ ...PDF, source: { kind: 'url', url: 'https://a.example/b.pdf' } }, 'openai', /^A document/],
    [
      { ...PDF, source: { kind: 'file', id: 'f', format: 'messages' } },
      'openai',
      /^This model cannot read a file/,
    ],
  ])('a 400 names what cannot be sent: %j', (part, dialect, message) => {
    let thrown: unknown;
    try {
      messages([user(part)], dialect);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(GatewayError);
    expect(thrown).toMatchObject({
      fault: 'invalid-request',
      status: 400,
      message: expect.stringMatching(message),
    });
  });

  test('blocks of other formats are left out and reported', () => {
    const notes: Note[] = [];
    const block: Part = { kind: 'opaque', format: 'messages', value: { type: 'server_tool_use', id: 's' } };
    expect(
      messages([user(text('Go')), assistant(block, text('Yes.')), user(text('On'))], 'openai', notes)[1],
    ).toEqual({
      role: 'assistant',
      content: 'Yes.',
    });
    expect(told(notes)).toEqual(['turns[].content dropped']);
    expect(messages([user(text('Go')), assistant(block), user(text('On'))]).map(({ role }) => role)).toEqual([
      'user',
      'user',
    ]);
  });

  test('cache breakpoints are kept if the service takes them, and otherwise reported', () => {
    const marked = [user({ kind: 'text', text: 'A', cacheBreakpoint: { ttl: '1h' } })];
    expect(messages(marked, 'openrouter')[0]?.['content']).toEqual([
      { type: 'text', text: 'A', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ]);
    const notes: Note[] = [];
    expect(messages(marked, 'openai', notes)).toEqual([{ role: 'user', content: 'A' }]);
    expect(told(notes)).toEqual(['turns[].mark dropped']);
  });

  test('a breakpoint on a result stands on its last part', () => {
    const marked: Part = { ...result('a', say('A'), say('B')), cacheBreakpoint: {} };
    const sent = messages([user(text('Go')), assistant(call('a')), user(marked)], 'openrouter');
    expect(sent[2]?.['content']).toEqual([
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B', cache_control: { type: 'ephemeral' } },
    ]);
  });

  test('a prefilled answer is marked if the service requires it', () => {
    const begun = [user(text('Go')), assistant(text('{'))];
    expect(messages(begun, 'mistral')[1]).toEqual({ role: 'assistant', content: '{', prefix: true });
    expect(messages(begun, 'moonshot')[1]).toEqual({ role: 'assistant', content: '{', partial: true });
    expect(messages(begun, 'openai')[1]).toEqual({ role: 'assistant', content: '{' });
  });

  test('citations go back to OpenAI only, counted over the whole message', () => {
    const citation = { url: 'https://a.example', title: 'A', start: 0, end: 2 };
    const cited = assistant(text('One. '), { kind: 'text', text: 'Two.', citations: [citation] });
    const said = (dialect: string) => messages([user(text('Go')), cited, user(text('On'))], dialect)[1];
    expect(said('openai')?.['annotations']).toMatchObject([
      { type: 'url_citation', url_citation: { url: 'https://a.example', start_index: 5, end_index: 7 } },
    ]);
    expect(said('deepseek')).not.toHaveProperty('annotations');
  });

  test('a refusal stays one if the service has refusals, and otherwise becomes text', () => {
    const refused = [user(text('Go')), assistant({ kind: 'refusal', text: 'No.' }), user(text('On'))];
    expect(messages(refused, 'openai')[1]).toEqual({ role: 'assistant', content: null, refusal: 'No.' });
    expect(messages(refused, 'deepseek')[1]).toEqual({ role: 'assistant', content: 'No.' });
  });
});

describe('the form of the answer', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const messagesOwn = { format: 'messages', fields: {} } as const;
  const open = { type: 'object', properties: { a: { type: 'string' } } };

  test("a schema has a name, and is strict if the caller's format always enforces it and it fits", () => {
    expect(
      body({ output: { kind: 'json-schema', schema }, formatSpecific: messagesOwn })['response_format'],
    ).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict: true },
    });
    expect(
      body({ output: { kind: 'json-schema', schema: open }, formatSpecific: messagesOwn })['response_format'],
    ).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema: open },
    });
    expect(
      body({ output: { kind: 'json-schema', schema, name: 'n', strict: false } })['response_format'],
    ).toEqual({
      type: 'json_schema',
      json_schema: { name: 'n', schema, strict: false },
    });
  });

  test('a schema that is not enforced is described to the model', () => {
    const said = body(
      { output: { kind: 'json-schema', schema } },
      { ...modelOf('deepseek'), structuredOutput: false },
    );
    expect(said['response_format']).toEqual({ type: 'json_object' });
    expect(said['messages']).toMatchObject([{ role: 'system' }, { role: 'user' }]);
    expect(JSON.stringify(said['messages'])).toContain('additionalProperties');
  });

  test('JSON is named if the service requires the word', () => {
    expect(asObjects(body({ output: { kind: 'json' } })['messages'])).toMatchObject([
      { role: 'system', content: expect.stringMatching(/JSON/) },
      {},
    ]);
    const named = body({ output: { kind: 'json' }, turns: [user(text('As json.'))] });
    expect(named['messages']).toHaveLength(1);
    expect(body({ output: { kind: 'json' } }, 'xai')['messages']).toHaveLength(1);
  });
});

test("OpenAI's API takes every rendered request", () => {
  const everything = promptOf({
    turns: [
      system(text('S')),
      user(text('Go'), IMAGE, PDF),
      assistant({ kind: 'thinking', text: 'Hm.' }, text('Yes.'), call('x'.repeat(80), 'a.b')),
      user({ ...(result('x'.repeat(80), say('A'), IMAGE) satisfies Part), cacheBreakpoint: {} }, text('On')),
    ],
    tools: [
      { kind: 'function', name: 'a.b', cacheBreakpoint: {}, strict: true },
      { kind: 'custom', name: 'c' },
    ],
    toolChoice: { mode: 'required', allowed: ['a.b', 'c'] },
    parallelToolCalls: false,
    thinking: { budget: 9000 },
    maxTokens: 5,
    temperature: 1,
    topK: 3,
    stop: ['a'],
    user: 'u'.repeat(100),
    metadata: { a: 'b' },
    serviceTier: 'auto',
    stream: true,
    cacheBreakpoint: {},
    formatSpecific: { format: 'messages', fields: { container: 'x' } },
  });
  for (const target of [REASONING, modelOf('openai'), modelOf('azure')]) {
    expect(chatRequest.safeParse(rendered(everything, target)).error).toBeUndefined();
  }
});

test('the same prompt is always the same bytes', () => {
  const prompt = promptOf({
    turns: [user(text('Go')), assistant(call('toolu_1')), user(result('toolu_1', say('A')))],
  });
  for (const dialect of dialectNames) {
    const target = modelOf(dialect);
    expect(JSON.stringify(rendered(prompt, target))).toBe(JSON.stringify(rendered(prompt, target)));
  }
});
