/** Renders a prompt of any format as a request of OpenAI's responses. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Part, Prompt, Tool, Turn } from '../../../src/conversation/prompt.ts';
import { type ModelTraits, type Note, reportInto, unreported } from '../../../src/formats/format.ts';
import { parseRequest } from '../../../src/formats/responses/inbound/parse-request.ts';
import { renderRequest } from '../../../src/formats/responses/outbound/render-request.ts';
import { keepOrigin } from '../../../src/formats/responses/wire/origin.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { responsesRequest } from '../../../src/sandbox/schemas/responses.ts';

const GPT: ModelTraits = {
  model: 'gpt-5-pro',
  maxOutputTokens: 128_000,
  thinking: { kinds: ['effort'], efforts: ['minimal', 'low', 'medium', 'high'], canDisable: false },
  sampling: false,
  structuredOutput: true,
  dialect: 'openai',
};

const { thinking: _, ...withoutThinking } = GPT;
const GPT_4: ModelTraits = { ...withoutThinking, model: 'gpt-4.1', sampling: true };

const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const system = (text: string, developer = false): Turn => ({
  role: 'system',
  parts: [{ kind: 'text', text }],
  ...(developer && { developer }),
});
const text = (said: string): Part => ({ kind: 'text', text: said });
const call = (id: string, args = '{}'): Part => ({ kind: 'tool-call', id, name: 'f', arguments: args });
const result = (id: string, said: string): Part => ({
  kind: 'tool-result',
  id,
  name: 'f',
  content: [{ kind: 'text', text: said }],
});

const promptOf = (fields: Partial<Prompt>): Prompt => ({
  model: 'm',
  stream: false,
  turns: [user(text('Hi'))],
  ...fields,
});

const render = (fields: Partial<Prompt>, target = GPT): JsonObject =>
  renderRequest(promptOf(fields), target, unreported);

const itemsOf = (...turns: Turn[]) => render({ turns })['input'];

const notesOf = (fields: Partial<Prompt>, target = GPT): readonly string[] => {
  const notes: Note[] = [];
  renderRequest(promptOf(fields), target, reportInto(notes));
  return notes.map(({ field, outcome }) => `${field} ${outcome}`);
};

test("another vendor's cache breakpoints are OpenAI's own, on what the model reads, from GPT-5.6 on", () => {
  const marked = <P extends Part>(part: P): P => ({ ...part, cacheBreakpoint: { ttl: '1h' } });
  const turns = [
    user(marked(text('x'))),
    assistant(marked(text('a')), marked(call('c1'))),
    user(marked(result('c1', '5'))),
  ];
  const prompt_cache_breakpoint = { mode: 'explicit' };
  const target = { ...GPT, model: 'gpt-5.6-sol' };
  expect(render({ turns }, target)['input']).toMatchObject([
    { content: [{ type: 'input_text', text: 'x', prompt_cache_breakpoint }] },
    { role: 'assistant' },
    { type: 'function_call' },
    { type: 'function_call_output', output: [{ type: 'input_text', text: '5', prompt_cache_breakpoint }] },
  ]);
  const written = JSON.stringify(render({ turns }, target));
  expect(written.split('prompt_cache_breakpoint')).toHaveLength(3);
  expect(notesOf({ turns }, target)).toContain('turns[].mark dropped');
  expect(notesOf({ turns: [user(marked(text('x')))] }, target)).toEqual([]);
  expect(JSON.stringify(render({ turns }))).not.toContain('prompt_cache_breakpoint');
});

describe('the body', () => {
  test('nothing is stored, and models that reason return encrypted reasoning', () => {
    expect(render({ stream: true })).toEqual({
      model: 'gpt-5-pro',
      input: [{ type: 'message', role: 'user', content: 'Hi' }],
      include: ['reasoning.encrypted_content'],
      store: false,
      stream: true,
    });
    expect(render({}, GPT_4)).toEqual({
      model: 'gpt-4.1',
      input: [{ type: 'message', role: 'user', content: 'Hi' }],
      store: false,
    });
  });

  test('the same prompt gives the same bytes', () => {
    const prompt = { turns: [system('S'), user(text('a')), assistant(call('1')), user(result('1', 'r'))] };
    expect(JSON.stringify(render(prompt))).toBe(JSON.stringify(render(prompt)));
  });

  test('unknown fields are passed on, and never replace known ones', () => {
    expect(render({ unknownFields: { colour: 'red', store: true, model: 'x' } })).toMatchObject({
      colour: 'red',
      store: false,
      model: 'gpt-5-pro',
    });
  });

  test('some fields of chat-completions mean the same here', () => {
    const own = {
      format: 'chat-completions',
      fields: {
        prompt_cache_key: 'k',
        safety_identifier: 's',
        verbosity: 'low',
        logit_bias: { 1: 2 },
        store: true,
      },
    } as const;
    const body = render({ formatSpecific: own, user: 's' });
    expect(body).toMatchObject({
      prompt_cache_key: 'k',
      safety_identifier: 's',
      text: { verbosity: 'low' },
      store: false,
    });
    expect(body).not.toHaveProperty('user');
    expect(body).not.toHaveProperty('logit_bias');
    expect(notesOf({ formatSpecific: own })).toEqual(['own.logit_bias dropped', 'own.store dropped']);
  });

  test.each<[Partial<Prompt>, JsonObject, string[]]>([
    [{ maxTokens: 5 }, { max_output_tokens: 16 }, ['maxTokens approximated']],
    [{ maxTokens: 0 }, { max_output_tokens: 0 }, []],
    [{ maxTokens: 500 }, { max_output_tokens: 500 }, []],
    [{ maxTokens: 200_000 }, { max_output_tokens: 128_000 }, ['maxTokens approximated']],
    [{ temperature: 1, topP: 0.5 }, {}, ['temperature dropped', 'topP dropped']],
    [{ stop: ['x'], seed: 1, topK: 2 }, {}, ['topK dropped', 'seed dropped', 'stop approximated']],
    [{ topK: -1 }, {}, []],
    [{ serviceTier: 'standard_only' }, { service_tier: 'default' }, []],
    [{ user: 'u'.repeat(70) }, { user: 'u'.repeat(64) }, ['user approximated']],
    [{ metadata: { a: 'b' } }, { metadata: { a: 'b' } }, []],
  ])('%j', (fields, expected, notes) => {
    const { model: _model, input: _input, include: _include, store: _store, ...rest } = render(fields);
    expect(rest).toEqual(expected);
    expect(notesOf(fields)).toEqual(notes);
  });

  test('sampling and log probabilities are sent to models that take them', () => {
    expect(render({ temperature: 2, topP: 0.1, logprobs: true, topLogprobs: 4 }, GPT_4)).toMatchObject({
      temperature: 2,
      top_p: 0.1,
      top_logprobs: 4,
      include: ['message.output_text.logprobs'],
    });
  });

  test('several choices are refused', () => {
    expect(() => render({ choices: 2 })).toThrow(GatewayError);
    expect(render({ choices: 1 })).not.toHaveProperty('n');
  });
});

describe('system turns', () => {
  test('leading ones become the instructions, and later ones stay in their place', () => {
    const turns = [
      system('A'),
      system('B', true),
      user(text('Hi')),
      system('C', true),
      system('D'),
      user(text('Yo')),
    ];
    const rest = [
      { type: 'message', role: 'user', content: 'Hi' },
      { type: 'message', role: 'developer', content: 'C' },
      { type: 'message', role: 'system', content: 'D' },
      { type: 'message', role: 'user', content: 'Yo' },
    ];
    expect(render({ turns }, { ...GPT, model: 'a-model', dialect: 'elsewhere' })).toMatchObject({
      instructions: 'A\n\nB',
      input: rest,
    });
  });

  // GPT-6.2 caches nothing of the instructions, so each step of an agent would pay its whole system prompt.
  test.each([GPT, { ...GPT, model: 'openai/gpt-6.2-sol', dialect: 'elsewhere' }])(
    'leading ones become messages for models of OpenAI, which cache only those ($model, $dialect)',
    (target) => {
      const body = render({ turns: [system('A'), system('B', true), user(text('Hi')), system('C')] }, target);
      expect(body).not.toHaveProperty('instructions');
      expect(body['input']).toEqual([
        { type: 'message', role: 'developer', content: 'A' },
        { type: 'message', role: 'developer', content: 'B' },
        { type: 'message', role: 'user', content: 'Hi' },
        { type: 'message', role: 'system', content: 'C' },
      ]);
    },
  );

  test('they are the input if there is no other', () => {
    const body = render({ turns: [system('A')] });
    expect(body).toMatchObject({ input: [{ role: 'system', content: 'A' }] });
    expect(body).not.toHaveProperty('instructions');
  });

  test('one with an image stays in the input', () => {
    const picture: Part = { kind: 'media', media: 'image', source: { kind: 'url', url: 'https://a/b.png' } };
    const body = render({ turns: [{ role: 'system', parts: [text('A'), picture] }, user(text('Hi'))] });
    expect(body['input']).toMatchObject([
      { role: 'system', content: [{ text: 'A' }, { image_url: 'https://a/b.png' }] },
      {},
    ]);
  });
});

describe('items', () => {
  test('calls, results and the text after them', () => {
    expect(
      itemsOf(
        assistant(text('I look.'), call('a', ''), call('b', '{"x":1}')),
        user(result('a', '1'), result('b', ''), text('?')),
      ),
    ).toEqual([
      { type: 'message', role: 'assistant', content: 'I look.' },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'function_call', call_id: 'b', name: 'f', arguments: '{"x":1}' },
      { type: 'function_call_output', call_id: 'a', output: '1' },
      { type: 'function_call_output', call_id: 'b', output: '' },
      { type: 'message', role: 'user', content: '?' },
    ]);
  });

  test('the result of a custom call renders as one, even if it came as a function result', () => {
    const custom: Part = { kind: 'tool-call', id: 'c', name: 'patch', arguments: 'free text', custom: true };
    expect(itemsOf(assistant(custom), user(result('c', 'ok')))).toEqual([
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'free text' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
    ]);
  });

  test('long ids and invalid names are changed alike everywhere', () => {
    const id = 'x'.repeat(80);
    const named: Part = { kind: 'tool-call', id, name: 'files.read', arguments: '{}' };
    const tools: Tool[] = [{ kind: 'function', name: 'files.read' }];
    const body = render({
      turns: [assistant(named), user(result(id, 'r'))],
      tools,
      toolChoice: { mode: 'required', allowed: ['files.read'] },
    });
    const text_ = JSON.stringify(body);
    expect(text_).not.toContain(id);
    const [name] = /files_read_[0-9a-f]{8}/.exec(text_) ?? [];
    expect(text_.split(String(name)).length).toBe(4);
    expect(body['input']).toMatchObject([{ call_id: expect.stringMatching(/^x{55}_[0-9a-f]{8}$/) }, {}]);
  });

  test('several texts are one message, and empty ones are left out', () => {
    expect(itemsOf(assistant(text('a'), text(''), text('b')), user(text('c'), text('d')))).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'a', annotations: [] },
          { type: 'output_text', text: 'b', annotations: [] },
        ],
      },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'c' },
          { type: 'input_text', text: 'd' },
        ],
      },
    ]);
  });

  test('only thoughts with OpenAI’s signature go back, with the text before it', () => {
    const turn = assistant(
      { kind: 'thinking', text: 'one' },
      { kind: 'thinking', text: 'two', signature: { origin: 'openai', value: 'gAAA' } },
      { kind: 'thinking', text: '', redacted: { origin: 'openai', value: 'gBBB' } },
      { kind: 'thinking', text: 'three', signature: { origin: 'anthropic', value: 'EqQB' } },
      { kind: 'thinking', text: 'four' },
      call('a'),
    );
    expect(itemsOf(turn)).toEqual([
      {
        type: 'reasoning',
        summary: [
          { type: 'summary_text', text: 'one' },
          { type: 'summary_text', text: 'two' },
        ],
        encrypted_content: 'gAAA',
      },
      { type: 'reasoning', summary: [], encrypted_content: 'gBBB' },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    ]);
    expect(notesOf({ turns: [turn] })).toEqual(['turns[].thinking dropped', 'turns[].thinking dropped']);
  });

  test('thoughts that nothing follows are left out: OpenAI refuses them', () => {
    const thought: Part = { kind: 'thinking', text: '', redacted: { origin: 'openai', value: 'gAAA' } };
    const item = { type: 'reasoning', summary: [], encrypted_content: 'gAAA' };
    const said = (words: string) => ({ type: 'message', role: 'assistant', content: words });
    const more = { type: 'message', role: 'user', content: 'more' };
    const cut = [assistant(thought, text('one'), thought), user(text('more')), assistant(thought)];
    expect(itemsOf(...cut)).toEqual([item, said('one'), more]);
    expect(notesOf({ turns: cut })).toEqual(['turns[].thinking dropped', 'turns[].thinking dropped']);
    expect(itemsOf(assistant(thought), assistant(text('two')))).toEqual([item, said('two')]);
  });

  test('every loss is reported', () => {
    const turns: Turn[] = [
      { ...user(text('Hi')), name: 'Ann', formatSpecific: { format: 'messages', fields: { x: 1 } } },
      assistant({
        kind: 'tool-call',
        id: 'a',
        name: 'f',
        arguments: '',
        signature: { origin: 'google', value: 'v' },
      }),
      user({ kind: 'tool-result', id: 'a', content: [], isError: true }),
      user(
        { kind: 'opaque', format: 'messages', value: {} },
        { kind: 'text', text: 'x', cacheBreakpoint: {} },
      ),
    ];
    expect(new Set(notesOf({ turns }))).toEqual(
      new Set([
        'turns[].mark dropped',
        'turns[].name dropped',
        'turns[].x dropped',
        'turns[].signature dropped',
        'turns[].is_error approximated',
        'turns[].content dropped',
      ]),
    );
  });
});

describe('thoughts in words', () => {
  const deepseek = { ...GPT, model: 'deepseek-v4-flash', dialect: 'deepseek' };
  const placeholder = keepOrigin({ at: 1, item: { encrypted_content: 'none#' } });
  const claudes = { origin: 'anthropic', value: 'sig' } as const;
  const turnOf = (...parts: Part[]): Turn[] => [assistant(...parts, call('c1')), user(result('c1', 'ok'))];

  // As recorded: DeepSeek signs none, and takes them back as it wrote them.
  test.each<[string, Part]>([
    ['of a client that knows no signature', { kind: 'thinking', text: 'Hm.' }],
    ['with the placeholder', { kind: 'thinking', text: 'Hm.', formatSpecific: placeholder }],
    ["of another vendor's model", { kind: 'thinking', text: 'Hm.', signature: claudes }],
  ])('%s go to DeepSeek', (_, thought) => {
    const { input } = render({ turns: turnOf(thought) }, deepseek);
    expect(input).toMatchObject([
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { type: 'function_call' },
      { type: 'function_call_output' },
    ]);
    expect(JSON.stringify(input)).not.toContain('encrypted_content');
  });

  test('go to no other service, nor a signature without a word to DeepSeek', () => {
    const signature: Part = { kind: 'thinking', text: '', signature: claudes };
    expect(notesOf({ turns: turnOf({ kind: 'thinking', text: 'Hm.' }) })).toEqual([
      'turns[].thinking dropped',
    ]);
    expect(notesOf({ turns: turnOf(signature) }, deepseek)).toEqual(['turns[].thinking dropped']);
    const signed = { ...signature, text: 'Hm.' };
    expect(notesOf({ turns: turnOf(signed) }, deepseek)).toEqual(['turns[].signature dropped']);
  });
});

test('a choice of the search is left to the model where the service takes none', () => {
  const asked: Partial<Prompt> = {
    tools: [
      { kind: 'hosted', format: 'messages', value: { type: 'web_search_20250305' }, webSearch: true },
      { kind: 'function', name: 'f' },
    ],
    toolChoice: { mode: 'required', allowed: [], search: true },
  };
  const xai = { ...GPT, model: 'grok-4', dialect: 'x-ai' };
  expect(render(asked)['tool_choice']).toEqual({ type: 'web_search' });
  expect(render(asked, xai)).not.toHaveProperty('tool_choice');
  expect(notesOf(asked, xai)).toContain('toolChoice dropped');
});

test('a schema that contains itself is cut for Meta, and the cut is reported', () => {
  const cyclic = { type: 'object', properties: { next: { $ref: '#' } } };
  const flat = { type: 'object', properties: { next: { type: 'object' } } };
  const asked: Partial<Prompt> = {
    tools: [
      { kind: 'function', name: 'f', parameters: cyclic },
      { kind: 'function', name: 'g', parameters: flat },
      { kind: 'custom', name: 'c' },
    ],
    output: { kind: 'json-schema', schema: cyclic },
  };
  const meta = { ...GPT, model: 'muse', dialect: 'meta' };
  expect(render(asked, meta)).toMatchObject({
    tools: [{ parameters: flat }, { parameters: flat }, { type: 'custom' }],
    text: { format: { schema: flat } },
  });
  const notes = notesOf(asked, meta).filter((note) => /parameters|output/.test(note));
  expect(notes).toEqual(['tools[f].parameters approximated', 'output approximated']);
});

describe('media', () => {
  const media = (part: Partial<Extract<Part, { kind: 'media' }>>): Part => ({
    kind: 'media',
    media: 'image',
    source: { kind: 'base64', data: 'AA==' },
    ...part,
  });

  test.each<[Part, JsonObject]>([
    [
      media({ mediaType: 'image/webp', detail: 'low' }),
      { type: 'input_image', image_url: 'data:image/webp;base64,AA==', detail: 'low' },
    ],
    [
      media({ source: { kind: 'file', id: 'file-1', format: 'chat-completions' } }),
      { type: 'input_image', file_id: 'file-1', detail: 'auto' },
    ],
    [
      media({ media: 'document', mediaType: 'application/pdf' }),
      { type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,AA==' },
    ],
    [
      media({ media: 'document', mediaType: 'text/plain', name: 'a.txt' }),
      { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,AA==' },
    ],
    [
      media({ media: 'document', name: 'N', source: { kind: 'url', url: 'https://a/b' } }),
      { type: 'input_file', file_url: 'https://a/b' },
    ],
    [
      media({ media: 'document', name: 'N', source: { kind: 'file', id: 'file-1', format: 'responses' } }),
      { type: 'input_file', file_id: 'file-1' },
    ],
    [
      media({ media: 'document', name: 'N', source: { kind: 'text', text: 'T' } }),
      { type: 'input_text', text: 'N\n\nT' },
    ],
    // The files that OpenAI's guide "File inputs" lists end like this.
    ...(
      [
        ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
        ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
        ['application/msword', 'doc'],
        ['application/rtf', 'rtf'],
        ['text/x-python', 'txt'],
        ['text/javascript', 'txt'],
        ['text/tab-separated-values', 'tsv'],
        ['application/zip', 'zip'],
        ['application/x-made-up', 'bin'],
      ] as const
    ).map(([mediaType, ending]): [Part, JsonObject] => [
      media({ media: 'document', mediaType }),
      { type: 'input_file', filename: `document.${ending}`, file_data: `data:${mediaType};base64,AA==` },
    ]),
  ])('%j', (part, expected) => {
    expect(itemsOf(user(part))).toEqual([{ type: 'message', role: 'user', content: [expected] }]);
    expect(
      itemsOf(user({ kind: 'tool-result', id: 'a', content: [part].filter((p) => p.kind === 'media') })),
    ).toEqual([{ type: 'function_call_output', call_id: 'a', output: [expected] }]);
  });

  test.each([
    [media({ media: 'video' }), /video/],
    [media({ media: 'audio' }), /audio/],
    [media({ source: { kind: 'file', id: 'f', format: 'messages' } }), /another vendor's file store/],
  ])('%j is refused', (part, message) => {
    expect(() => itemsOf(user(part))).toThrow(GatewayError);
    expect(() => itemsOf(user(part))).toThrow(message);
  });

  test('an image of the model is sent as the user’s', () => {
    expect(itemsOf(assistant(text('Here.'), media({})))).toEqual([
      { type: 'message', role: 'assistant', content: 'Here.' },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AA==' }],
      },
    ]);
  });
});

describe('tools', () => {
  const open = { type: 'object', properties: { a: { type: 'string' } } };
  const closed = { ...open, required: ['a'], additionalProperties: false };

  test.each<[Tool, JsonObject]>([
    [
      { kind: 'function', name: 'f', parameters: open },
      { type: 'function', name: 'f', parameters: open, strict: false },
    ],
    [
      { kind: 'function', name: 'f', parameters: closed },
      { type: 'function', name: 'f', parameters: closed, strict: false },
    ],
    [
      { kind: 'function', name: 'f', description: 'D', parameters: closed, strict: true },
      { type: 'function', name: 'f', description: 'D', parameters: closed, strict: true },
    ],
    [
      { kind: 'function', name: 'f', parameters: open, strict: true },
      { type: 'function', name: 'f', parameters: open, strict: false },
    ],
    [
      { kind: 'function', name: 'f' },
      { type: 'function', name: 'f', parameters: null, strict: false },
    ],
    [
      { kind: 'function', name: 'f', parameters: open, formatSpecific: { format: 'responses', fields: {} } },
      { type: 'function', name: 'f', parameters: open },
    ],
    [
      {
        kind: 'custom',
        name: 'c',
        format: { type: 'grammar', grammar: { syntax: 'regex', definition: 'a+' } },
      },
      { type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'regex', definition: 'a+' } },
    ],
    [
      {
        kind: 'hosted',
        format: 'messages',
        webSearch: true,
        value: { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.org'], max_uses: 2 },
      },
      { type: 'web_search', filters: { allowed_domains: ['a.org'] } },
    ],
    [
      {
        kind: 'hosted',
        format: 'chat-completions',
        webSearch: true,
        value: {
          type: 'web_search_options',
          web_search_options: {
            search_context_size: 'high',
            user_location: { type: 'approximate', approximate: { city: 'Oslo' } },
          },
        },
      },
      {
        type: 'web_search',
        search_context_size: 'high',
        user_location: { type: 'approximate', city: 'Oslo' },
      },
    ],
  ])('%j', (tool, expected) => {
    expect(render({ tools: [tool] })['tools']).toEqual([expected]);
  });

  test('a hosted tool of another vendor is dropped, and the choice with the last tool', () => {
    const tools: Tool[] = [{ kind: 'hosted', format: 'messages', value: { type: 'bash_20250124' } }];
    expect(render({ tools, toolChoice: { mode: 'required' } })).not.toHaveProperty('tool_choice');
    expect(notesOf({ tools, toolChoice: { mode: 'required' } })).toEqual([
      'tools[].type dropped',
      'toolChoice dropped',
    ]);
  });

  test.each<[Prompt['toolChoice'], JsonObject[string]]>([
    [{ mode: 'auto' }, 'auto'],
    [{ mode: 'none', allowed: ['f'] }, 'none'],
    [{ mode: 'required' }, 'required'],
    [
      { mode: 'required', allowed: ['f'] },
      { type: 'function', name: 'f' },
    ],
    [
      { mode: 'required', allowed: ['c'] },
      { type: 'custom', name: 'c' },
    ],
    [
      { mode: 'auto', allowed: ['f', 'c'] },
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'function', name: 'f' },
          { type: 'custom', name: 'c' },
        ],
      },
    ],
  ])('choice %j', (toolChoice, expected) => {
    const tools: Tool[] = [
      { kind: 'function', name: 'f' },
      { kind: 'custom', name: 'c' },
    ];
    expect(render({ tools, ...(toolChoice && { toolChoice }) })['tool_choice']).toEqual(expected);
  });
});

describe('thinking', () => {
  test.each<[NonNullable<Prompt['thinking']>, JsonObject | undefined, string[]]>([
    [{ effort: 'high' }, { effort: 'high' }, []],
    [{ effort: 'max', visible: true }, { effort: 'high', summary: 'auto' }, ['thinking approximated']],
    [{ effort: 'none' }, { effort: 'minimal' }, ['thinking approximated']],
    [{ budget: 2000 }, { effort: 'low', summary: 'auto' }, ['thinking approximated']],
    [{ budget: 2000, visible: false }, { effort: 'low' }, ['thinking approximated']],
    [{ budget: 0 }, { effort: 'minimal' }, ['thinking approximated']],
    [{ adaptive: true }, undefined, []],
    [{ adaptive: true, visible: false }, undefined, []],
  ])('%j', (thinking, expected, notes) => {
    expect(render({ thinking })['reasoning']).toEqual(expected);
    expect(notesOf({ thinking })).toEqual(notes);
  });

  test('is not asked of a model without thinking', () => {
    expect(render({ thinking: { effort: 'high' } }, GPT_4)).not.toHaveProperty('reasoning');
    expect(notesOf({ thinking: { effort: 'high' } }, GPT_4)).toEqual(['thinking dropped']);
    expect(notesOf({ thinking: { effort: 'none' } }, GPT_4)).toEqual([]);
  });
});

describe('output', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };

  test('a schema has a name, and is enforced as far as OpenAI can', () => {
    expect(render({ output: { kind: 'json-schema', schema, strict: true } })['text']).toEqual({
      format: { type: 'json_schema', name: 'answer', schema, strict: false },
    });
    expect(notesOf({ output: { kind: 'json-schema', schema, strict: true } })).toEqual([
      'output approximated',
    ]);
  });

  test('a schema is described in words to a model that enforces none', () => {
    const body = render({ output: { kind: 'json-schema', schema } }, { ...GPT, structuredOutput: false });
    expect(body).toMatchObject({
      text: { format: { type: 'json_object' } },
      input: [{ role: 'developer', content: expect.stringContaining('"properties"') }, { role: 'user' }],
    });
  });

  test('the word JSON is added where OpenAI requires it', () => {
    expect(render({ output: { kind: 'json' } })['input']).toMatchObject([
      { role: 'developer', content: 'Answer with JSON.' },
      {},
    ]);
    expect(
      render({ output: { kind: 'json' }, turns: [user(text('As json, please.'))] })['input'],
    ).toHaveLength(1);
    // A system message with the word is enough, but `instructions` are no message.
    const asked = { output: { kind: 'json' }, turns: [system('Speak JSON.'), user(text('Hi'))] } as const;
    expect(render(asked)['input']).toMatchObject([{ content: 'Speak JSON.' }, { content: 'Hi' }]);
    expect(render(asked, { ...GPT, model: 'grok-4', dialect: 'x-ai' })).toMatchObject({
      instructions: 'Speak JSON.',
      input: [{ content: 'Answer with JSON.' }, { content: 'Hi' }],
    });
  });
});

describe('fixtures are valid for OpenAI', () => {
  const folder = join(import.meta.dirname, '../../../fixtures/requests/responses');

  test.each(readdirSync(folder).filter((file) => file !== 'unknown-fields.json'))('%s', (file) => {
    const body = parseJson(readFileSync(join(folder, file), 'utf8'));
    if (!isObject(body)) throw new TypeError('A request is an object.');
    const again = renderRequest(parseRequest(body, unreported), { ...GPT, sampling: true }, unreported);
    const judged = responsesRequest.safeParse(parseJson(JSON.stringify(again)));
    expect(judged.error?.issues ?? []).toEqual([]);
  });
});
