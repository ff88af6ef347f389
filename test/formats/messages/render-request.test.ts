/** Prompts of other formats as bodies of `POST /v1/messages`. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MediaPart, Part, Prompt, Turn } from '../../../src/conversation/prompt.ts';
import { type ModelTraits, type Note, reportInto, unreported } from '../../../src/formats/format.ts';
import { renderRequest } from '../../../src/formats/messages/outbound/render-request.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { asObject, asObjects } from '../../../src/lib/json.ts';
import { messagesRequest } from '../../../src/sandbox/schemas/messages.ts';
import { gatewayErrorOf } from '../../support/gateway-error.ts';
import { ADAPTIVE, BUDGETED, PERMISSIVE, PLAIN } from './targets.ts';

const text = (words: string): Part => ({ kind: 'text', text: words });
const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const system = (words: string): Turn => ({ role: 'system', parts: [text(words)] });
const call = (id: string, name = 'search'): Part => ({ kind: 'tool-call', id, name, arguments: '{"q":"x"}' });
const result = (id: string, words = 'found'): Part => ({
  kind: 'tool-result',
  id,
  content: [{ kind: 'text', text: words }],
});
const signed = (words: string): Part => ({
  kind: 'thinking',
  text: words,
  signature: { origin: 'anthropic', value: 'AbC=' },
});
const SEARCH = { kind: 'function', name: 'search', parameters: { type: 'object', properties: {} } } as const;
const HELLO: readonly Turn[] = [user(text('Hello.'))];

/** Renders a prompt, checks the body by the vendor's strict schema, and returns it with what was reported. */
function render(
  prompt: Partial<Prompt>,
  target: ModelTraits = PERMISSIVE,
): { body: JsonObject; told: string[] } {
  const notes: Note[] = [];
  const asked = { model: 'a-model', turns: HELLO, stream: false, ...prompt };
  const body = renderRequest(asked, target, reportInto(notes));
  if (prompt.unknownFields === undefined) expect(messagesRequest.safeParse(body).error).toBeUndefined();
  return { body, told: notes.map(({ field, outcome }) => `${outcome}: ${field}`) };
}

const messages = (...turns: Turn[]) => render({ turns, tools: [SEARCH] }).body['messages'];

describe('settings', () => {
  test.each<[string, Partial<Prompt>, ModelTraits, JsonObject, string[]]>([
    ['max_tokens defaults to the maximum of the model', {}, PLAIN, { max_tokens: 8192 }, []],
    ['max_tokens as requested', { maxTokens: 7 }, PLAIN, { max_tokens: 7 }, []],
    [
      'temperature is limited to 1',
      { temperature: 1.7 },
      PLAIN,
      { temperature: 1 },
      ['approximated: temperature'],
    ],
    ['temperature as requested', { temperature: 0.3 }, PLAIN, { temperature: 0.3 }, []],
    [
      'temperature takes precedence over top_p',
      { temperature: 0, topP: 0.9 },
      PLAIN,
      { temperature: 0 },
      ['dropped: topP'],
    ],
    ['top_p and top_k', { topP: 0.9, topK: 4 }, PLAIN, { top_p: 0.9, top_k: 4 }, []],
    ['a top_k of 0 or -1, which means none to others', { topK: -1 }, PLAIN, {}, []],
    ['a top_k of 0 for a model without sampling', { topK: 0 }, ADAPTIVE, {}, []],
    [
      'no sampling for a model that refuses it',
      { temperature: 0.3, topP: 0.9, topK: 4 },
      ADAPTIVE,
      {},
      ['dropped: temperature', 'dropped: topP', 'dropped: topK'],
    ],
    ['stop', { stop: ['a', '\n'] }, PLAIN, { stop_sequences: ['a'] }, ['approximated: stop']],
    ['the user', { user: 'u-1' }, PLAIN, { metadata: { user_id: 'u-1' } }, []],
    ['a tier', { serviceTier: 'default' }, PLAIN, { service_tier: 'standard_only' }, []],
    ['a tier that Anthropic does not have', { serviceTier: 'flex' }, PLAIN, {}, ['dropped: serviceTier']],
    ["another vendor's own tier", { serviceTier: 'on_demand' }, PLAIN, {}, ['dropped: serviceTier']],
    ['streaming', { stream: true }, PLAIN, { stream: true }, []],
    ['an unknown field', { unknownFields: { colour: 'green' } }, PLAIN, { colour: 'green' }, []],
    [
      'fields without a counterpart',
      {
        seed: 1,
        frequencyPenalty: 1,
        presencePenalty: 1,
        logprobs: true,
        topLogprobs: 2,
        metadata: { a: 'b' },
      },
      PLAIN,
      {},
      [
        'dropped: seed',
        'dropped: frequencyPenalty',
        'dropped: presencePenalty',
        'dropped: logprobs',
        'dropped: topLogprobs',
        'dropped: metadata',
      ],
    ],
    [
      'fields of another format',
      { formatSpecific: { format: 'chat-completions', fields: { verbosity: 'low' } } },
      PLAIN,
      {},
      ['dropped: own.verbosity'],
    ],
  ])('%s', (_, prompt, target, expected, reported) => {
    const { body, told } = render(prompt, target);
    const { model, messages: _messages, ...settings } = body;
    expect(model).toBe('a-model');
    expect(settings).toEqual({ max_tokens: target.maxOutputTokens, ...expected });
    expect(told).toEqual(reported);
  });

  test('several choices are refused', () => {
    expect(() => render({ choices: 2 })).toThrow(GatewayError);
    expect(() => render({ choices: 2 })).toThrow('one answer at a time');
    expect(render({ choices: 1 }).told).toEqual([]);
  });
});

describe('turns', () => {
  test('system turns up to the first answer come first, and later ones become user turns', () => {
    const plain = render({ turns: [system('a'), ...HELLO] });
    expect(plain.body['system']).toBe('a');
    expect(plain.told).toEqual([]);
    const { body, told } = render({
      turns: [
        system('a'),
        system('b'),
        user(text('c')),
        system('d'),
        assistant(text('e')),
        system('f'),
        user(text('g')),
      ],
    });
    const texts = (...said: string[]): JsonObject[] => said.map((words) => ({ type: 'text', text: words }));
    expect(body['system']).toEqual(texts('a', 'b', 'd'));
    expect(body['messages']).toEqual([
      { role: 'user', content: texts('c') },
      { role: 'assistant', content: texts('e') },
      { role: 'user', content: texts('<system>', 'f', '</system>', 'g') },
    ]);
    expect(told).toEqual(['approximated: turns[].role', 'approximated: turns']);
  });

  describe('later system turns for a model that accepts them', () => {
    const LATER: ModelTraits = { ...ADAPTIVE, dialect: 'anthropic', laterSystem: true };
    const image: MediaPart = {
      kind: 'media',
      media: 'image',
      source: { kind: 'url', url: 'https://a.b/c.png' },
    };
    /** Returns the roles and their content, after a question and an answer. */
    const roles = (...turns: Turn[]): string[] => {
      const { body } = render(
        { turns: [...HELLO, assistant(text('Hi.')), ...turns], tools: [SEARCH] },
        LATER,
      );
      expect(body['system']).toBeUndefined();
      return asObjects(body['messages'])
        .slice(2)
        .map(({ role, content }) =>
          [role, ...asObjects(content).map(({ type, text: words }) => words ?? type)].join(' '),
        );
    };

    test.each<[string, Turn[], string[]]>([
      ['at the end', [user(text('a')), system('S')], ['user a', 'system S']],
      ['before the user', [system('S'), user(text('a'))], ['user a', 'system S']],
      [
        'between user turns, and behind them',
        [system('S'), user(text('a')), system('T'), user(text('b')), assistant(text('c'))],
        ['user a b', 'system S', 'system T', 'assistant c', 'user Continue.'],
      ],
      [
        'between a call and its result',
        [
          user(text('a')),
          assistant(call('1')),
          system('S'),
          user(result('1')),
          assistant(text('b')),
          user(text('c')),
        ],
        ['user a', 'assistant tool_use', 'user tool_result', 'system S', 'assistant b', 'user c'],
      ],
      [
        'behind an answer, as a user turn',
        [system('S'), assistant(text('b')), system('T')],
        ['user <system> S </system>', 'assistant b', 'user <system> T </system>'],
      ],
      [
        'with an image, as a user turn',
        [user(text('a')), { role: 'system', parts: [text('S'), image] }],
        ['user a <system> S image </system>'],
      ],
      ['without content', [user(text('a')), system(' ')], ['user a']],
    ])('%s', (_, turns, expected) => {
      expect(roles(...turns)).toEqual(expected);
    });

    test('those up to the first answer come first', () => {
      const turns = [system('a'), ...HELLO, system('b'), assistant(text('c')), user(text('d'))];
      const { body } = render({ turns }, LATER);
      expect(body['system']).toHaveLength(2);
      expect(asObjects(body['messages']).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    });

    test('their beta fields are left out', () => {
      const own = { format: 'messages', fields: { clear_at: 'next_user_message' } } as const;
      const opaque: Part = { kind: 'opaque', format: 'messages', value: { type: 'tool_removal' } };
      const later: Turn = { role: 'system', formatSpecific: own, parts: [text('S'), opaque] };
      const turns = [...HELLO, assistant(text('c')), user(text('d')), later];
      const { body } = render({ turns, formatSpecific: { format: 'messages', fields: {} } }, LATER);
      expect(asObjects(body['messages']).at(-1)).toEqual({
        role: 'system',
        content: [{ type: 'text', text: 'S' }],
      });
    });

    test('the breakpoint for the whole request is before the last of them', () => {
      const turns = [...HELLO, assistant(text('a')), user(text('b')), system('S')];
      const { body } = render({ turns, cacheKey: 'k' }, LATER);
      expect(body['cache_control']).toBeUndefined();
      expect(
        asObjects(body['messages']).map(({ content }) => asObjects(content)[0]?.['cache_control']),
      ).toEqual([undefined, undefined, { type: 'ephemeral' }, undefined]);
      expect(render({ turns: turns.slice(0, -1), cacheKey: 'k' }, LATER).body['cache_control']).toEqual({
        type: 'ephemeral',
      });
    });

    test('in any order, each follows a user turn and precedes an answer or the end', () => {
      const any = fc.constantFrom<Turn>(
        system('S'),
        system(''),
        user(text('u')),
        user(result('1')),
        assistant(text('a')),
        assistant(call('1')),
        assistant({ kind: 'thinking', text: 'unsigned' }),
        { role: 'system', parts: [image] },
      );
      fc.assert(
        fc.property(fc.array(any, { maxLength: 9 }), (said) => {
          const turns = [...HELLO, assistant(text('Hi.')), ...said, ...HELLO];
          const sent = asObjects(render({ turns, tools: [SEARCH] }, LATER).body['messages']).map(
            ({ role }) => role,
          );
          const order = sent.map((role) => String(role)[0]).join('');
          expect(order).toMatch(/^u/);
          expect(order).not.toMatch(/as|su|^s|aa|uu/);
        }),
      );
    });

    test('earlier turns are sent unchanged when the conversation continues', () => {
      const round = fc.tuple(
        fc.array(fc.constantFrom(system('S'), user(text('u'))), { minLength: 1, maxLength: 4 }),
        fc.constant(assistant(text('a'))),
      );
      fc.assert(
        fc.property(fc.array(round, { minLength: 2, maxLength: 5 }), (rounds) => {
          const asked = (count: number): readonly JsonObject[] => {
            const before = rounds.slice(0, count).flatMap(([said, answer]) => [...said, answer]);
            const turns = [...HELLO, assistant(text('Hi.')), ...before, ...(rounds[count]?.[0] ?? [])];
            return asObjects(render({ turns }, LATER).body['messages']);
          };
          const early = asked(rounds.length - 2);
          expect(asked(rounds.length - 1).slice(0, early.length)).toEqual(early);
        }),
      );
    });
  });

  test('cache breakpoints stay on their blocks', () => {
    const marked: Turn = {
      role: 'system',
      parts: [{ kind: 'text', text: 'a', cacheBreakpoint: { ttl: '1h' } }],
    };
    expect(render({ turns: [marked, ...HELLO] }).body['system']).toEqual([
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ]);
  });

  test('instructions alone become a user turn', () => {
    const { body, told } = render({ turns: [system('Say hello.')] });
    expect(body).not.toHaveProperty('system');
    expect(body['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }]);
    expect(told).toEqual(['approximated: turns[].role']);
  });

  test('content behind a call moves before it, in its order', () => {
    expect(
      messages(
        user(text('Find.')),
        assistant(text('One.'), call('a'), text('Two.'), call('b')),
        user(result('a', 'A'), result('b', 'B')),
      ),
    ).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: 'One.' }, { text: 'Two.' }, { id: 'a' }, { id: 'b' }] },
      { role: 'user', content: [{ tool_use_id: 'a' }, { tool_use_id: 'b' }] },
    ]);
  });

  test('results come right after their calls, in one turn, before any text', () => {
    const said = messages(
      user(text('Find.')),
      assistant(call('a'), call('b')),
      user(text('By the way.'), result('b', 'B')),
      user(result('a', 'A')),
    );
    expect(said).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ id: 'a', input: { q: 'x' } }, { id: 'b' }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ text: 'A' }] },
          { type: 'tool_result', tool_use_id: 'b', content: [{ text: 'B' }] },
          { type: 'text', text: 'By the way.' },
        ],
      },
    ]);
  });

  test('a conversation begins with a user turn', () => {
    expect(messages(assistant(text('Welcome.')), user(text('Hi.')))).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: '.' }] },
      { role: 'assistant' },
      { role: 'user' },
    ]);
  });

  test('empty content is not sent', () => {
    const { body, told } = render({
      turns: [user(text('a'), text('')), assistant(text(' \n')), user(text('b')), assistant(text(''))],
    });
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
    expect(told).toEqual(['dropped: turns[].content']);
  });

  test('an answer that the caller began does not end with white space', () => {
    const turns = [user(text('a')), assistant(text('{"a": \n'))];
    expect(render({ turns }, BUDGETED).body['messages']).toMatchObject([
      {},
      { role: 'assistant', content: [{ type: 'text', text: '{"a":' }] },
    ]);
  });

  test('a refusal becomes a text, an empty result has no content, and an empty error gets a text', () => {
    const said = messages(
      user(text('a')),
      assistant({ kind: 'refusal', text: 'No.' }, call('a'), call('b')),
      user(
        { kind: 'tool-result', id: 'a', content: [] },
        { kind: 'tool-result', id: 'b', content: [], isError: true },
      ),
    );
    expect(said).toMatchObject([
      {},
      { content: [{ type: 'text', text: 'No.' }, {}, {}] },
      {
        content: [
          { type: 'tool_result', tool_use_id: 'a' },
          { tool_use_id: 'b', is_error: true, content: [{ type: 'text', text: 'error' }] },
        ],
      },
    ]);
  });

  test('ids and names are made safe, in the same way every time, for calls and results', () => {
    const turns = [
      user(text('a')),
      assistant(call('call|1', 'a.tool:with/dots'), call('call 1'), call('')),
      user(result('call|1'), result('call 1'), result('')),
      assistant(call('call|1')),
      user(result('call|1')),
    ];
    const tools = [{ ...SEARCH, name: 'a.tool:with/dots' }, SEARCH];
    const { body } = render({ turns, tools });
    const blocks = asObjects(body['messages']).flatMap((message) => asObjects(message['content']));
    const called = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    const answered = blocks
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id }) => tool_use_id);
    expect(answered).toEqual(called);
    expect(new Set(called).size).toBe(4);
    for (const id of called) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(blocks.find(({ type }) => type === 'tool_use')?.['name']).toBe(
      asObjects(body['tools'])[0]?.['name'],
    );
    expect(render({ turns, tools }).body).toEqual(body);
  });

  test('a second result of a call is merged into the first, because the vendor accepts one', () => {
    const said = messages(user(text('a')), assistant(call('x|1')), user(result('x|1')), user(result('x|1')));
    const results = asObjects(asObjects(said)[2]?.['content']);
    expect(results).toHaveLength(1);
    expect(results[0]?.['tool_use_id']).toBe(asObjects(asObjects(said)[1]?.['content'])[0]?.['id']);
    expect(results[0]?.['content']).toHaveLength(2);
    const twice = messages(
      user(text('a')),
      assistant(call('x|1')),
      user(result('x|1')),
      assistant(call('x|1')),
      user(result('x|1')),
      assistant(text('b')),
      user(result('x|1')),
    );
    const [late] = asObjects(asObjects(twice)[4]?.['content']);
    expect(late?.['tool_use_id']).toBe(asObjects(asObjects(twice)[3]?.['content'])[0]?.['id']);
    expect(late?.['content']).toHaveLength(2);
  });

  test('arguments keep every digit, and those that are not an object are not lost', () => {
    const long: Part = {
      kind: 'tool-call',
      id: 'a',
      name: 'search',
      arguments: '{"id":12345678901234567890}',
    };
    const broken: Part = { kind: 'tool-call', id: 'b', name: 'search', arguments: '{"q":"cut o' };
    const custom: Part = { kind: 'tool-call', id: 'c', name: 'search', arguments: 'free text', custom: true };
    const said = JSON.stringify(messages(user(text('a')), assistant(long, broken, custom)));
    expect(said).toContain('"input":{"id":12345678901234567890}');
    expect(said).toContain('"input":{"arguments":"{\\"q\\":\\"cut o"}');
    expect(said).toContain('"input":{"input":"free text"}');
  });

  test('at most four cache breakpoints: the last one of the head, and the last ones of the messages', () => {
    const marked = (words: string): Part => ({ kind: 'text', text: words, cacheBreakpoint: {} });
    const { body, told } = render({
      tools: [{ ...SEARCH, cacheBreakpoint: {} }],
      turns: [
        { role: 'system', parts: [marked('s1'), marked('s2')] },
        user(marked('a')),
        assistant(marked('b')),
        user(marked('c')),
        assistant(marked('d')),
        user(marked('e')),
      ],
    });
    const kept = [...JSON.stringify(body).matchAll(/"(?:text|name)":"(\w+)"[^{}]*"cache_control"/g)].map(
      ([, at]) => at,
    );
    expect(kept.toSorted()).toEqual(['c', 'd', 'e', 's2']);
    expect(told).toContain('dropped: turns[].mark');
  });

  test('the breakpoint for the whole request is one of the four', () => {
    const turns = ['a', 'b', 'c', 'd'].map((words) =>
      user({ kind: 'text', text: words, cacheBreakpoint: {} }),
    );
    const marks = (prompt: Partial<Prompt>) =>
      [...JSON.stringify(render({ turns, ...prompt }).body).matchAll(/"cache_control"/g)].length;
    expect(marks({})).toBe(4);
    expect(marks({ cacheBreakpoint: {} })).toBe(4);
  });

  test('citations of other vendors are left out', () => {
    const cited: Part = {
      kind: 'text',
      text: 'x',
      citations: [{ url: 'https://a.example', start: 0, end: 1 }],
    };
    const { body, told } = render({ turns: [...HELLO, assistant(cited), user(text('y'))] });
    expect(JSON.stringify(body)).not.toContain('citations');
    expect(told).toEqual(['dropped: turns[].citations']);
  });
});

describe('media', () => {
  const png = 'iVBORw0KGgoAAAANSUhEUg==';
  const image = (fields: Partial<MediaPart>): MediaPart => ({
    kind: 'media',
    media: 'image',
    source: { kind: 'base64', data: png },
    ...fields,
  });
  const block = (part: Part): unknown => asObjects(asObjects(messages(user(part)))[0]?.['content'])[0];

  test.each<[string, MediaPart, JsonObject]>([
    ['an image', image({ mediaType: 'image/png' }), { type: 'base64', media_type: 'image/png', data: png }],
    [
      'an image, by its usual type',
      image({ mediaType: 'image/jpg', source: { kind: 'base64', data: 'AAAA' } }),
      { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' },
    ],
    ['an image, by its content', image({}), { type: 'base64', media_type: 'image/png', data: png }],
    [
      'by a URL',
      image({ source: { kind: 'url', url: 'https://a.example/b.png' } }),
      { type: 'url', url: 'https://a.example/b.png' },
    ],
    [
      'a PDF',
      image({
        media: 'document',
        mediaType: 'application/pdf',
        source: { kind: 'base64', data: 'JVBERi0=' },
      }),
      { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
    ],
    [
      'a text file',
      image({
        media: 'document',
        mediaType: 'text/csv; charset=utf-8',
        source: { kind: 'base64', data: 'YSxi' },
      }),
      { type: 'text', media_type: 'text/plain', data: 'a,b' },
    ],
  ])('%s', (_, part, source) => {
    expect(block(part)).toEqual({ type: part.media, source });
  });

  test.each([
    ['a.pdf', { title: 'a.pdf' }],
    ['', {}],
    ['x'.repeat(501), { title: 'x'.repeat(500) }],
  ])('a document named %j has a title that the API takes', (name, title) => {
    const source = { kind: 'url', url: 'https://a.example/b' } as const;
    expect(block(image({ media: 'document', source, name }))).toEqual({
      type: 'document',
      source: { type: 'url', url: 'https://a.example/b' },
      ...title,
    });
  });

  test.each<[string, MediaPart, RegExp]>([
    ['audio', image({ media: 'audio', mediaType: 'audio/wav' }), /audio/],
    ['a video', image({ media: 'video', mediaType: 'video/mp4' }), /video/],
    [
      'another type of image',
      image({ mediaType: 'image/tiff', source: { kind: 'base64', data: 'SUkqAA' } }),
      /JPEG, PNG, GIF and WebP/,
    ],
    [
      'a spreadsheet',
      image({
        media: 'document',
        mediaType: 'application/vnd.ms-excel',
        source: { kind: 'base64', data: '0M8R' },
      }),
      /PDF/,
    ],
    [
      "a file in another vendor's store",
      image({ source: { kind: 'file', id: 'file-1', format: 'responses' } }),
      /another vendor/,
    ],
    ['a local file', image({ source: { kind: 'url', url: 'file:///etc/passwd' } }), /http/],
  ])('%s is refused with a message', (_, part, words) => {
    for (const where of [user(part), user({ kind: 'tool-result', id: 'a', content: [part] })]) {
      const error = gatewayErrorOf(() => messages(where));
      expect(error).toBeInstanceOf(GatewayError);
      expect(error).toMatchObject({ status: 400, message: expect.stringMatching(words) });
    }
  });
});

describe('thinking', () => {
  test.each<[string, Partial<Prompt>, ModelTraits, JsonObject, string[]]>([
    ['no wish', {}, BUDGETED, {}, []],
    ['low is 1,024', { thinking: { effort: 'low' } }, BUDGETED, budget(1024), ['approximated: thinking']],
    [
      'medium is 8,192',
      { thinking: { effort: 'medium' } },
      BUDGETED,
      budget(8192),
      ['approximated: thinking'],
    ],
    [
      'high is 24,576',
      { thinking: { effort: 'high' } },
      BUDGETED,
      budget(24_576),
      ['approximated: thinking'],
    ],
    ['a budget unchanged', { thinking: { budget: 5000 } }, BUDGETED, budget(5000), []],
    [
      'a budget is at least 1,024',
      { thinking: { budget: 100 } },
      BUDGETED,
      budget(1024),
      ['approximated: thinking'],
    ],
    [
      'a budget stays below max_tokens',
      { thinking: { budget: 5000 }, maxTokens: 3000 },
      BUDGETED,
      budget(2999),
      ['approximated: thinking'],
    ],
    [
      'an effort leaves room for the answer',
      { thinking: { effort: 'high' }, maxTokens: 8000 },
      BUDGETED,
      budget(6000),
      ['approximated: thinking'],
    ],
    ['no room at all', { thinking: { effort: 'low' }, maxTokens: 1024 }, BUDGETED, {}, ['dropped: thinking']],
    ['none', { thinking: { effort: 'none' } }, BUDGETED, { thinking: { type: 'disabled' } }, []],
    ['visibility only', { thinking: { visible: false } }, BUDGETED, {}, []],
    ['a model that cannot think', { thinking: { effort: 'high' } }, PLAIN, {}, ['dropped: thinking']],
    ['a model that never thinks', { thinking: { effort: 'none' } }, PLAIN, {}, []],
    [
      'an effort as an effort, and visible',
      { thinking: { effort: 'high' } },
      ADAPTIVE,
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
      [],
    ],
    [
      'the nearest effort of the model',
      { thinking: { effort: 'max', visible: false } },
      ADAPTIVE,
      { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'high' } },
      ['approximated: thinking'],
    ],
    [
      'the lowest effort of the model',
      { thinking: { effort: 'minimal', visible: true } },
      {
        ...PERMISSIVE,
        thinking: { kinds: ['effort'], efforts: ['none', 'minimal', 'low'], canDisable: true },
      },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
      ['approximated: thinking'],
    ],
    [
      'a budget as an effort',
      { thinking: { budget: 4096 } },
      ADAPTIVE,
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
      ['approximated: thinking'],
    ],
    [
      'a model that always thinks, as little as possible',
      { thinking: { effort: 'none' } },
      ADAPTIVE,
      { output_config: { effort: 'low' } },
      ['approximated: thinking'],
    ],
    [
      'with thinking, temperature, top_p and top_k are dropped',
      { thinking: { budget: 2000 }, temperature: 0.3, topP: 0.5, topK: 4 },
      BUDGETED,
      budget(2000),
      ['dropped: temperature', 'dropped: topP', 'dropped: topK'],
    ],
    [
      'a top_p of 0.95 is kept',
      { thinking: { budget: 2000 }, topP: 0.95 },
      BUDGETED,
      { ...budget(2000), top_p: 0.95 },
      [],
    ],
    [
      'a temperature of 1 is kept',
      { thinking: { budget: 2000 }, temperature: 1 },
      BUDGETED,
      { ...budget(2000), temperature: 1 },
      [],
    ],
  ])('%s', (_, prompt, target, expected, reported) => {
    const { body, told } = render(prompt, target);
    const { model: _model, messages: _messages, max_tokens: _max, ...settings } = body;
    expect(settings).toEqual(expected);
    expect(told).toEqual(reported);
  });

  test('a forced tool takes precedence over thinking with a budget; a model with efforts can do both', () => {
    const asked = {
      tools: [SEARCH],
      toolChoice: { mode: 'required' },
      parallelToolCalls: false,
      thinking: { effort: 'low' },
    } as const;
    const budgeted = render(asked, BUDGETED);
    expect(budgeted.body).toMatchObject({ tool_choice: { type: 'any', disable_parallel_tool_use: true } });
    expect(budgeted.body).not.toHaveProperty('thinking');
    expect(budgeted.told).toContain('dropped: thinking');
    const adaptive = render(asked, ADAPTIVE);
    expect(adaptive.body).toMatchObject({ tool_choice: { type: 'any' }, thinking: { type: 'adaptive' } });
    expect(adaptive.told).toEqual([]);
  });

  const rounds: [string, readonly Turn[], boolean][] = [
    ['calls with their thinking', [assistant(signed('a'), call('1')), user(result('1'))], true],
    [
      'later calls of a round that began with thinking',
      [assistant(signed('a'), call('1')), user(result('1')), assistant(call('2')), user(result('2'))],
      true,
    ],
    ['calls without their thinking', [assistant(call('1')), user(result('1'))], false],
    [
      'calls with thinking, in a round that began without',
      [assistant(call('1')), user(result('1')), assistant(signed('a'), call('2')), user(result('2'))],
      false,
    ],
    [
      "calls with another vendor's thinking",
      [
        assistant({ kind: 'thinking', text: 'a', signature: { origin: 'google', value: 'x' } }, call('1')),
        user(result('1')),
      ],
      false,
    ],
    [
      'calls of an earlier round',
      [assistant(call('1')), user(result('1')), assistant(text('a')), user(text('b'))],
      true,
    ],
    ['an answer that the caller began', [assistant(text('{'))], false],
  ];
  test.each(rounds)('%s', (_, turns, thinks) => {
    const asked = { turns: [...HELLO, ...turns], tools: [SEARCH], thinking: { budget: 2000 } };
    const { body, told } = render(asked, BUDGETED);
    expect(body['thinking'] !== undefined).toBe(thinks);
    expect(told.includes('dropped: thinking')).toBe(!thinks);
    expect(render(asked, ADAPTIVE).body).toHaveProperty('thinking');
  });

  test('thinking goes back unchanged if Anthropic signed it, and is left out otherwise', () => {
    const redacted: Part = { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'ReD=' } };
    const foreign: Part = {
      kind: 'thinking',
      text: 'of google',
      signature: { origin: 'google', value: 'x' },
    };
    const sealed: Part = { kind: 'thinking', text: '', redacted: { origin: 'openai', value: 'x' } };
    const { body, told } = render({
      turns: [
        ...HELLO,
        assistant({ kind: 'thinking', text: 'plain' }, signed(''), redacted, foreign, sealed, text('a')),
        user(text('b')),
      ],
    });
    expect(asObjects(body['messages'])[1]?.['content']).toEqual([
      { type: 'thinking', thinking: '', signature: 'AbC=' },
      { type: 'redacted_thinking', data: 'ReD=' },
      { type: 'text', text: 'a' },
    ]);
    expect(told).toEqual([
      'dropped: turns[].thinking',
      'dropped: turns[].thinking',
      'dropped: turns[].thinking',
    ]);
  });

  test('a turn of nothing else is left out, and its neighbours are merged', () => {
    const { body } = render({
      turns: [...HELLO, assistant({ kind: 'thinking', text: 'plain' }), user(text('b'))],
    });
    expect(body['messages']).toHaveLength(1);
  });
});

describe('tools', () => {
  test.each<[string, Partial<Prompt>, JsonObject | undefined]>([
    ['absent', {}, undefined],
    ['auto', { toolChoice: { mode: 'auto' } }, { type: 'auto' }],
    ['none', { toolChoice: { mode: 'none' } }, { type: 'none' }],
    ['required', { toolChoice: { mode: 'required' } }, { type: 'any' }],
    ['one tool', { toolChoice: { mode: 'required', allowed: ['search'] } }, { type: 'tool', name: 'search' }],
    ['no parallel calls', { parallelToolCalls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      'required, with parallel calls',
      { toolChoice: { mode: 'required' }, parallelToolCalls: true },
      { type: 'any', disable_parallel_tool_use: false },
    ],
  ])('choice: %s', (_, prompt, expected) => {
    expect(render({ tools: [SEARCH], ...prompt }).body['tool_choice']).toEqual(expected);
  });

  test('with a choice of several tools, no others are offered', () => {
    const tools = ['a', 'b', 'c'].map((name) => ({ ...SEARCH, name }));
    const { body, told } = render({ tools, toolChoice: { mode: 'required', allowed: ['a', 'c'] } });
    expect(asObjects(body['tools']).map(({ name }) => name)).toEqual(['a', 'c']);
    expect(body['tool_choice']).toEqual({ type: 'any' });
    expect(told).toEqual(['approximated: toolChoice']);
  });

  test('a choice without tools is dropped', () => {
    const { body, told } = render({ toolChoice: { mode: 'auto' } });
    expect(body).not.toHaveProperty('tool_choice');
    expect(told).toEqual(['dropped: toolChoice']);
  });

  test.each<[string, JsonObject | undefined, JsonObject]>([
    ['absent', undefined, { type: 'object', properties: {} }],
    ['empty', {}, { type: 'object', properties: {} }],
    ['without a type', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    ['with several types', { type: ['object', 'null'], properties: {} }, { type: 'object', properties: {} }],
    ['with a null type', { type: null, properties: {} }, { type: 'object', properties: {} }],
    [
      'that needs no change',
      { type: 'object', $defs: {}, required: [] },
      { type: 'object', $defs: {}, required: [] },
    ],
  ])('a schema %s', (_, parameters, expected) => {
    const tool = { kind: 'function', name: 'a', ...(parameters && { parameters }) } as const;
    expect(asObjects(render({ tools: [tool] }).body['tools'])[0]?.['input_schema']).toEqual(expected);
  });

  test('strict is kept if the schema can be enforced', () => {
    const strict = {
      ...SEARCH,
      strict: true,
      parameters: { type: 'object', properties: { a: { type: 'string', minLength: 1 } } },
    };
    expect(asObjects(render({ tools: [strict] }).body['tools'])).toEqual([
      {
        name: 'search',
        strict: true,
        input_schema: {
          type: 'object',
          properties: { a: { type: 'string', description: '{minLength: 1}' } },
          additionalProperties: false,
        },
      },
    ]);
    const { body, told } = render({ tools: [strict] }, PLAIN);
    expect(asObjects(body['tools'])[0]).toEqual({ name: 'search', input_schema: strict.parameters });
    expect(told).toEqual(['dropped: tools[search].strict']);
  });

  test('a custom tool becomes a function with one field', () => {
    const { body, told } = render({
      tools: [{ kind: 'custom', name: 'patch', description: 'Applies a patch.' }],
    });
    expect(asObjects(body['tools'])[0]).toMatchObject({
      name: 'patch',
      input_schema: { required: ['input'] },
    });
    expect(told).toEqual(['approximated: tools[patch].type']);
  });

  test("another vendor's web search becomes Anthropic's, and other hosted tools are left out", () => {
    const options = { user_location: { type: 'approximate', approximate: { city: 'Oslo' } } };
    const { body, told } = render({
      tools: [
        {
          kind: 'hosted',
          format: 'chat-completions',
          value: { web_search_options: options },
          webSearch: true,
        },
        { kind: 'hosted', format: 'responses', value: { type: 'file_search' } },
      ],
    });
    expect(body['tools']).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        user_location: { type: 'approximate', city: 'Oslo' },
      },
    ]);
    expect(told).toEqual(['approximated: tools[].type', 'dropped: tools[].type']);
  });

  test('tools of calls in the history are declared if the request has none, and none may be called', () => {
    for (const tools of [undefined, []]) {
      const { body, told } = render({
        ...(tools && { tools }),
        turns: [...HELLO, assistant(call('a')), user(result('a'))],
      });
      expect(body).toMatchObject({ tools: [{ name: 'search' }], tool_choice: { type: 'none' } });
      expect(told).toEqual(['approximated: tools']);
    }
  });
});

describe('the output format', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const output = { kind: 'json-schema', name: 'thing', schema } as const;
  const closed = { ...schema, additionalProperties: false };

  test('is enforced if the model can', () => {
    expect(render({ output }).body['output_config']).toEqual({
      format: { type: 'json_schema', schema: closed },
    });
    const thought = render({ output, thinking: { effort: 'low' } }, ADAPTIVE);
    expect(thought.body['output_config']).toEqual({
      effort: 'low',
      format: { type: 'json_schema', schema: closed },
    });
  });

  test('stays as a caller of this format wrote it', () => {
    const own = { format: 'messages', fields: {} } as const;
    expect(render({ output, formatSpecific: own }, PLAIN).body['output_config']).toEqual({
      format: { type: 'json_schema', schema },
    });
  });

  test('is otherwise the input of a tool that must be called', () => {
    const { body, told } = render({ output }, PLAIN);
    expect(body).toMatchObject({
      tools: [{ name: 'json_response', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'json_response' },
    });
    expect(told).toEqual(['approximated: output']);
    const beside = render({ output, tools: [SEARCH, { ...SEARCH, name: 'json_response' }] }, PLAIN);
    expect(asObjects(beside.body['tools']).map(({ name }) => name)).toEqual([
      'search',
      'json_response',
      'json_response_',
    ]);
    expect(beside.body['tool_choice']).toEqual({ type: 'any' });
  });

  test.each<[string, Partial<Prompt>, ModelTraits]>([
    [
      'for a model that thinks with a budget and enforces nothing',
      { thinking: { budget: 2000 } },
      { ...BUDGETED, structuredOutput: false },
    ],
    [
      'for a schema that is not an object',
      { output: { kind: 'json-schema', schema: { type: 'array' } } },
      PLAIN,
    ],
    ['for any JSON', { output: { kind: 'json' } }, PERMISSIVE],
  ])('is asked for in the system prompt %s', (_, prompt, target) => {
    const { body, told } = render({ output, turns: [system('Be brief.'), ...HELLO], ...prompt }, target);
    expect(asObjects(body['system'])[0]).toEqual({ type: 'text', text: 'Be brief.' });
    expect(JSON.stringify(asObjects(body['system'])[1])).toContain('JSON');
    expect(told).toContain('approximated: output');
    expect(body).not.toHaveProperty('tool_choice');
  });

  test.each<[string, JsonObject]>([
    ['an object without properties', { type: 'object', properties: { a: { type: 'object' } } }],
    ['an object with arbitrary keys', { type: 'object', additionalProperties: { type: 'string' } }],
    ['a schema that contains itself', { type: 'object', properties: { next: { $ref: '#' } } }],
    [
      'a schema that contains itself by way of a property',
      {
        type: 'object',
        properties: {
          tree: { type: 'object', properties: { left: { $ref: '#/properties/tree' } } },
        },
      },
    ],
    [
      'a schema that contains itself through another',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: {
          a: { type: 'object', properties: { b: { $ref: '#/$defs/b' } } },
          b: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } },
        },
      },
    ],
    [
      'a schema that contains itself, by a name that is escaped in references',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/Tree%3Cstring%3E' } },
        $defs: {
          'Tree<string>': { type: 'object', properties: { next: { $ref: '#/$defs/Tree%3Cstring%3E' } } },
        },
      },
    ],
  ])('cannot be enforced: %s', (_, free) => {
    const { body } = render({ output: { kind: 'json-schema', schema: free } });
    expect(body).not.toHaveProperty('output_config');
    expect(body).toMatchObject({ tool_choice: { name: 'json_response' } });
  });

  test('a schema is enforced whose definitions share another', () => {
    const point = { type: 'object', properties: { x: { type: 'number' } } };
    const line = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/point' }, b: { $ref: '#/$defs/point' } },
    };
    const schema = {
      type: 'object',
      properties: { line: { $ref: '#/$defs/line' }, end: { $ref: '#/$defs/point' } },
      $defs: { line, other: line, point },
    };
    const { body } = render({ output: { kind: 'json-schema', schema } });
    expect(body).toMatchObject({
      output_config: {
        format: {
          schema: {
            $defs: { line: { additionalProperties: false }, point: { additionalProperties: false } },
          },
        },
      },
    });
  });

  const schemaOf = (inner: JsonObject) => {
    const schema = { type: 'object', properties: { a: inner }, required: ['a'] };
    const { body } = render({ output: { kind: 'json-schema', schema } });
    const format = asObject(asObject(body['output_config'])?.['format']);
    return asObject(asObject(format?.['schema'])?.['properties'])?.['a'];
  };

  test.each(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])(
    'the format %s is enforced',
    (format) => {
      expect(schemaOf({ type: 'string', format })).toEqual({ type: 'string', format });
    },
  );

  test.each<JsonObject>([
    { minimum: 1 },
    { maximum: 1 },
    { exclusiveMinimum: 1 },
    { exclusiveMaximum: 1 },
    { multipleOf: 2 },
    { minLength: 1 },
    { maxLength: 1 },
    { pattern: 'a' },
    { minItems: 2 },
    { maxItems: 1 },
    { uniqueItems: true },
    { minProperties: 1 },
    { maxProperties: 1 },
    { format: 'color' },
  ])('described and not enforced: %j', (keyword) => {
    const [[name = '', value] = []] = Object.entries(keyword);
    const description = `{${name}: ${JSON.stringify(value)}}`;
    expect(schemaOf({ type: 'string', ...keyword })).toEqual({ type: 'string', description });
  });

  test('keywords that are not enforced move into the description, and keys of properties stay', () => {
    const given = {
      type: 'object',
      properties: {
        pattern: { type: 'string', pattern: '^a$', description: 'A letter.' },
        minimum: { type: 'integer', minimum: 1 },
        inner: { oneOf: [{ type: ['object', 'null'], properties: { b: { $ref: '#/$defs/b' } } }] },
      },
      $defs: { b: { type: 'array', items: { type: 'string', format: 'email' }, minItems: 2 } },
    };
    const { body } = render({ output: { kind: 'json-schema', schema: given } });
    expect(body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: {
            pattern: { type: 'string', description: 'A letter.\n\n{pattern: "^a$"}' },
            minimum: { type: 'integer', description: '{minimum: 1}' },
            inner: {
              anyOf: [
                {
                  type: ['object', 'null'],
                  properties: { b: { $ref: '#/$defs/b' } },
                  additionalProperties: false,
                },
              ],
            },
          },
          $defs: {
            b: { type: 'array', items: { type: 'string', format: 'email' }, description: '{minItems: 2}' },
          },
          additionalProperties: false,
        },
      },
    });
  });
});

test('the same prompt always has the same bytes', () => {
  const asked = {
    model: 'm',
    turns: [system('a'), ...HELLO, assistant(call('x y'))],
    tools: [SEARCH],
    stream: true,
  };
  const bytes = () => JSON.stringify(renderRequest(asked, PERMISSIVE, unreported));
  expect(bytes()).toBe(bytes());
});

describe('any prompt', () => {
  const words = fc.constantFrom('', ' ', 'a', 'b\n', '😀');
  const origin = fc.constantFrom('anthropic' as const, 'google' as const, 'openai' as const);
  const signature = fc.record({ origin, value: words });
  const part: fc.Arbitrary<Part> = fc.oneof(
    fc.record({ kind: fc.constant('text' as const), text: words }),
    fc.record({ kind: fc.constant('text' as const), text: words, signature }),
    fc.record({ kind: fc.constant('refusal' as const), text: words }),
    fc.record({ kind: fc.constant('thinking' as const), text: words, signature }),
    fc.record({ kind: fc.constant('thinking' as const), text: fc.constant(''), redacted: signature }),
    fc.record({ kind: fc.constant('tool-call' as const), id: words, name: words, arguments: words }),
    fc.record({
      kind: fc.constant('tool-call' as const),
      id: words,
      name: words,
      arguments: words,
      cacheBreakpoint: fc.constant({}),
    }),
    fc.record({
      kind: fc.constant('tool-result' as const),
      id: words,
      content: fc.array(
        fc.record({ kind: fc.constant('text' as const), text: words, cacheBreakpoint: fc.constant({}) }),
        { maxLength: 2 },
      ),
      isError: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('opaque' as const),
      format: fc.constant('responses' as const),
      value: fc.constant({ type: 'x' }),
    }),
  );
  const turn: fc.Arbitrary<Turn> = fc.oneof(
    fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const),
      parts: fc.array(part, { maxLength: 4 }),
    }),
    words.map(system),
  );
  const thinking = fc.constantFrom({}, { thinking: { effort: 'high' } } as const, {
    thinking: { budget: 5 },
  });
  const form = fc.constantFrom(
    {},
    { output: { kind: 'json' } } as const,
    {
      output: { kind: 'json-schema', schema: { type: 'object', properties: { a: { type: 'string' } } } },
    } as const,
  );
  const settings = fc.record(
    {
      maxTokens: fc.integer({ min: 1, max: 5000 }),
      temperature: fc.double({ min: 0, max: 2, noNaN: true }),
      topP: fc.double({ min: 0, max: 1, noNaN: true }),
      parallelToolCalls: fc.boolean(),
      tools: fc.constantFrom([], [SEARCH]),
      toolChoice: fc.constantFrom(
        { mode: 'auto' } as const,
        { mode: 'required' } as const,
        { mode: 'none' } as const,
      ),
      stop: fc.array(words),
    },
    { requiredKeys: [] },
  );

  test('with content gives a body that fits the schema and the rules of the vendor', () => {
    fc.assert(
      fc.property(
        fc.array(turn, { maxLength: 6 }),
        thinking,
        form,
        settings,
        fc.constantFrom(PERMISSIVE, BUDGETED, ADAPTIVE, PLAIN),
        (turns, thought, output, rest, target) => {
          const asked = {
            model: 'm',
            stream: false,
            turns: [...HELLO, ...turns],
            ...thought,
            ...output,
            ...rest,
          };
          const body = renderRequest(asked, target, unreported);
          expect(messagesRequest.safeParse(JSON.parse(JSON.stringify(body))).error).toBeUndefined();
          const said = asObjects(body['messages']);
          said.forEach(({ role, content }, index) => {
            expect(role).toBe(index % 2 === 0 ? 'user' : 'assistant');
            expect(content).not.toEqual([]);
          });
          expect(JSON.stringify(body).split('"cache_control"').length - 1).toBeLessThanOrEqual(4);
          const thinks = body['thinking'];
          if (typeof thinks === 'object' && thinks !== null && 'budget_tokens' in thinks) {
            expect(thinks['budget_tokens']).toBeLessThan(Number(body['max_tokens']));
            expect(body['temperature'] ?? 1).toBe(1);
            expect(JSON.stringify(body['tool_choice'] ?? {})).not.toMatch(/any|"tool"/);
            expect(said.at(-1)?.['role']).toBe('user');
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

function budget(budget_tokens: number): JsonObject {
  return { thinking: { type: 'enabled', budget_tokens } };
}
