/** The notes of a translation say what is lost, and nothing else. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import {
  FORMAT_NAMES,
  type FormatName,
  type TranslatedRequest,
  translateRequest,
} from '../../src/translate/index.ts';
import { excessOf } from '../support/cost.ts';

const MODELS: Readonly<Record<FormatName, string>> = {
  'chat-completions': 'gpt-4o',
  responses: 'gpt-6-luna',
  messages: 'claude-sonnet-4-5',
  'generate-content': 'gemini-2.5-flash',
};

function translated(from: FormatName, to: FormatName, body: JsonObject): TranslatedRequest {
  return translateRequest({ from, to, model: MODELS[to], body: { model: 'm', ...body } });
}

const notesOn = (field: string, { notes }: TranslatedRequest): readonly string[] =>
  notes.flatMap((note) => (note.field === field ? [`${note.outcome}: ${note.detail}`] : []));

describe('what is sent in another form', () => {
  const hello = { messages: [{ role: 'user', content: 'Hi' }] };
  const own = { name: 'f', parameters: { type: 'object', properties: {} } };
  const file = { filename: `${'f'.repeat(600)}.pdf`, file_data: 'data:application/pdf;base64,AAAA' };

  test.each<[string, FormatName, JsonObject, string, JsonObject]>([
    [
      'a seed of more than 32 bits',
      'generate-content',
      { ...hello, seed: 2 ** 40 + 5 },
      'approximated: seed',
      { generationConfig: { seed: 5 } },
    ],
    [
      'an empty stop sequence',
      'generate-content',
      { ...hello, stop: ['', 'x'] },
      'dropped: stop',
      { generationConfig: { stopSequences: ['x'] } },
    ],
    [
      'a search where no tool may be called',
      'generate-content',
      { ...hello, tools: [{ type: 'function', function: own }], web_search_options: {}, tool_choice: 'none' },
      'dropped: tools[].type',
      { tools: [{ functionDeclarations: [{ name: 'f' }] }] },
    ],
    [
      'a long name of a file',
      'messages',
      { messages: [{ role: 'user', content: [{ type: 'file', file }] }] },
      'approximated: messages[].filename',
      { messages: [{ content: [{ type: 'document', title: 'f'.repeat(500) }] }] },
    ],
    [
      'a limit that the model does not have',
      'messages',
      { ...hello, max_completion_tokens: 10_000_000 },
      'approximated: max_completion_tokens',
      { max_tokens: 64_000 },
    ],
    [
      'an e-mail address',
      'messages',
      { ...hello, user: 'a@b.test' },
      'approximated: user',
      { metadata: { user_id: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    ],
    [
      'parameters that are no object',
      'messages',
      { ...hello, tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'string' } } }] },
      'approximated: tools[f].parameters',
      { tools: [{ input_schema: { type: 'object' } }] },
    ],
  ])('%s, to %s', (_, to, body, note, expected) => {
    const sent = translated('chat-completions', to, body);
    expect(sent.notes.map(({ field, outcome }) => `${outcome}: ${field}`)).toEqual([note]);
    expect(sent.body).toMatchObject(expected);
  });

  test("a line for Anthropic's accounting stays out, and the notes say so", () => {
    const system = [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=1' },
      { type: 'text', text: 'Be brief.' },
    ];
    const sent = translated('messages', 'chat-completions', { max_tokens: 9, system, ...hello });
    expect(notesOn('system', sent)).toEqual(["dropped: a line for Anthropic's accounting"]);
    expect(sent.body['messages']).toMatchObject([{ content: 'Be brief.' }, { content: 'Hi' }]);
  });
});

describe('a choice among tools that only one vendor runs', () => {
  const ASKED: Readonly<Partial<Record<FormatName, JsonObject>>> = {
    responses: {
      input: 'Hi',
      tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
      tool_choice: 'required',
    },
    messages: {
      max_tokens: 99,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'code_execution_20250825', name: 'code_execution' }],
      tool_choice: { type: 'any' },
    },
    'generate-content': {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ codeExecution: {} }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    },
  };
  const pairs = FORMAT_NAMES.flatMap((from) =>
    FORMAT_NAMES.flatMap((to) => {
      const asked = ASKED[from];
      return asked === undefined || from === to ? [] : [{ from, to, asked }];
    }),
  );

  test.each(pairs)('is dropped with them, and the notes say so: $from to $to', ({ from, to, asked }) => {
    const { body, notes } = translated(from, to, asked);
    for (const field of ['tools', 'tool_choice', 'toolConfig']) expect(body).not.toHaveProperty(field);
    const field = from === 'generate-content' ? 'toolConfig.functionCallingConfig' : 'tool_choice';
    expect(notes.filter((note) => note.field === field).map(({ outcome }) => outcome)).toEqual(['dropped']);
  });

  test.each<[FormatName, string, JsonObject]>([
    ['chat-completions', 'qwen/qwen3-max', { enable_thinking: true }],
    ['messages', 'claude-sonnet-4-5', { thinking: { type: 'enabled' } }],
  ])('changes nothing else: %s asks %s to think', (to, model, expected) => {
    const body: JsonObject = { model: 'm', ...ASKED.responses, reasoning: { effort: 'high' } };
    expect(translateRequest({ from: 'responses', to, model, body }).body).toMatchObject(expected);
  });

  describe('forced by name, from messages', () => {
    const forced = { ...ASKED.messages, tool_choice: { type: 'tool', name: 'code_execution' } };
    const code = { type: 'code_execution_20250825', name: 'code_execution' };

    test.each(FORMAT_NAMES.filter((to) => to !== 'messages'))('beside a tool of the caller: to %s', (to) => {
      const own = { name: 'f', input_schema: { type: 'object', properties: {} } };
      const sent = translated('messages', to, { ...forced, tools: [code, own] });
      expect(sent.body['tools']).toHaveLength(1);
      for (const field of ['tool_choice', 'toolConfig']) expect(sent.body).not.toHaveProperty(field);
      expect(notesOn('tool_choice', sent)).toEqual(['dropped: forces a tool that the vendor runs itself']);
    });

    test('beside a search, which is then the one to call', () => {
      const search = { type: 'web_search_20250305', name: 'web_search' };
      const sent = translated('messages', 'responses', { ...forced, tools: [code, search] });
      expect(sent.body).toMatchObject({ tools: [{ type: 'web_search' }], tool_choice: 'required' });
      expect(notesOn('tool_choice', sent)).toEqual([
        'approximated: forces a tool that the vendor runs itself',
      ]);
    });
  });
});

describe('a choice of the web search', () => {
  const openai = { input: 'Hi', tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } };
  const anthropic = {
    max_tokens: 99,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [
      { type: 'web_search_20250305', name: 'web_search' },
      { name: 'f', input_schema: { type: 'object' } },
    ],
    tool_choice: { type: 'tool', name: 'web_search' },
  };

  test('is not dropped where it is sent', () => {
    const toMessages = translated('responses', 'messages', openai);
    expect(toMessages.body['tool_choice']).toEqual({ type: 'tool', name: 'web_search' });
    expect(notesOn('tool_choice', toMessages)).toEqual([]);
    const toResponses = translated('messages', 'responses', anthropic);
    expect(toResponses.body['tool_choice']).toEqual({ type: 'web_search' });
    expect(notesOn('tool_choice', toResponses)).toEqual([]);
  });

  test('is dropped once where it is not', () => {
    const dropped = ['dropped: the request has no functions'];
    expect(notesOn('tool_choice', translated('responses', 'generate-content', openai))).toEqual(dropped);
    expect(notesOn('tool_choice', translated('messages', 'generate-content', anthropic))).toEqual(dropped);
  });

  test('of another hosted tool is dropped once', () => {
    const files = { tools: [{ type: 'file_search', vector_store_ids: ['v'] }] };
    const body = { input: 'Hi', ...files, tool_choice: { type: 'file_search' } };
    expect(notesOn('tool_choice', translated('responses', 'messages', body))).toEqual([
      'dropped: forces a tool that only OpenAI runs',
    ]);
  });

  test('of several tools lacks those of the vendor', () => {
    const tools = [
      { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } },
      { type: 'file_search', vector_store_ids: ['v'] },
    ];
    const chosen = [{ type: 'function', name: 'f' }, { type: 'file_search' }];
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: chosen };
    const notes = notesOn(
      'tool_choice',
      translated('responses', 'messages', { input: 'Hi', tools, tool_choice }),
    );
    expect(notes).toContain('dropped: part of responses, and not translated here');
  });
});

test.each<FormatName>(['responses', 'messages', 'generate-content'])(
  'speech of the model is dropped, not without a note, in %s',
  (to) => {
    for (const content of [{}, { content: 'Yes.' }]) {
      const messages = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', audio: { id: 'audio_1' }, ...content },
        { role: 'user', content: 'Go on.' },
      ];
      expect(notesOn('messages[].audio', translated('chat-completions', to, { messages }))).toEqual([
        'dropped: part of chat-completions, and not translated here',
      ]);
    }
  },
);

// OpenAI's other format has them too, and so have other services.
test.each([
  [
    'chat-completions',
    'messages',
    'verbosity',
    { verbosity: 'low', messages: [{ role: 'user', content: 'Hi' }] },
  ],
  ['responses', 'generate-content', 'prompt_cache_key', { prompt_cache_key: 'k', input: 'Hi' }],
] as const)('of %s to %s, %s is not said to mean nothing elsewhere', (from, to, field, body) => {
  expect(notesOn(field, translated(from, to, body))).toEqual([
    `dropped: part of ${from}, and not translated here`,
  ]);
});

test('the resolution of a document beside an image is not lost without a note', () => {
  const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
  const pdf = { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0xLjQK' } };
  const notes = (...parts: JsonObject[]): readonly string[] => {
    const generationConfig = { mediaResolution: 'MEDIA_RESOLUTION_LOW' };
    const body = { contents: [{ role: 'user', parts }], generationConfig };
    return notesOn('generationConfig.mediaResolution', translated('generate-content', 'responses', body));
  };
  expect(notes(image)).toEqual([]);
  expect(notes(image, pdf)).toEqual(['approximated: in other formats only images have a detail']);
  expect(notes(pdf)).toEqual(['dropped: part of generate-content, and not translated here']);
});

test('notes on thousands of unknown fields cost in proportion to their number', { timeout: 120_000 }, () => {
  const withFields = (count: number): JsonObject => ({
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown_${at}`, at])),
  });
  expect(translated('generate-content', 'messages', withFields(3)).notes).toMatchObject([
    { field: 'unknown_0' },
    { field: 'unknown_1' },
    { field: 'unknown_2' },
  ]);
  const tell = (body: JsonObject) => translated('generate-content', 'messages', body);
  expect(excessOf(withFields, tell, 2_000)).toBeUndefined();
});
