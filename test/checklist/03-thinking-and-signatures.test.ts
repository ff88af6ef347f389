/** Checklist, section 3: thinking and signatures. */

import { describe, expect, test } from 'vitest';
import { formats } from '../../src/formats/all.ts';
import type { Note } from '../../src/formats/format.ts';
import { unreported } from '../../src/formats/format.ts';
import type { JsonObject } from '../../src/json.ts';
import { KEY } from '../support/gateway.ts';
import { PERMISSIVE } from '../support/meaning.ts';
import { nextRequest, turnOf, turnOfStream } from './client.ts';
import {
  at,
  CALLERS,
  type Caller,
  CLAUDE,
  CLAUDE_ADAPTIVE,
  chatStream,
  chunk,
  cityTool,
  claudeMessage,
  claudeStream,
  completion,
  DEEPSEEK,
  GEMINI,
  GEMINI_3,
  gemini,
  geminiStream,
  json,
  listAt,
  QWEN,
  type Said,
  useDoor,
} from './support.ts';

const door = useDoor();

const weather = (signature?: string): JsonObject => ({
  functionCall: { name: 'get_weather', args: { city: 'Rom' } },
  ...(signature !== undefined && { thoughtSignature: signature }),
});

/**
 * Asks, and asks on with what a client of the format kept of the answer.
 * @returns what the vendor is sent the second time
 */
async function goOn(
  from: Caller,
  model: string,
  said: Said,
  mode: 'whole' | 'stream',
  results: readonly string[],
  more: JsonObject = {},
): Promise<JsonObject> {
  door.answers(said);
  const turn =
    mode === 'whole'
      ? turnOf(from, (await door.whole(from, model, more)).json)
      : turnOfStream(from, (await door.stream(from, model, more)).data);
  await door.whole(from, model, { ...more, ...nextRequest(from, turn, results) }).catch(() => undefined);
  return door.sent();
}

const ways = CALLERS.flatMap((from) => (['whole', 'stream'] as const).map((mode) => ({ from, mode })));
const foreign = ways.filter(({ from }) => from !== 'messages');

const both = (parts: readonly JsonObject[]): Readonly<Record<'whole' | 'stream', Said>> => ({
  whole: json(gemini(parts, 'STOP')),
  stream: geminiStream(...parts.map((part) => gemini([part])), gemini([], 'STOP')),
});

describe("checklist 24: the signature of a call of Gemini's comes back to it", () => {
  test.each(ways)('checklist 24: $from, $mode', async ({ from, mode }) => {
    const sent = await goOn(from, GEMINI_3, both([weather('c2lnbmF0dXJl')])[mode], mode, ['sunny']);
    expect(listAt(sent, 'contents.1.parts')).toEqual([weather('c2lnbmF0dXJl')]);
  });

  test('checklist 24: a chat client is told it where Google tells it', async () => {
    door.answers(json(gemini([weather('c2lnbmF0dXJl')], 'STOP')));
    const { json: body } = await door.whole('chat-completions', GEMINI_3);
    expect(at(body, 'choices.0.message.tool_calls.0.extra_content')).toEqual({
      google: { thought_signature: 'c2lnbmF0dXJl' },
    });
  });

  test("checklist 24: in OpenRouter's reasoning_details it comes back too", async () => {
    const turn = {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rom"}' } },
      ],
      reasoning_details: [
        {
          type: 'reasoning.encrypted',
          data: 'c2lnbmF0dXJl',
          id: 'call_1',
          format: 'google-gemini-v1',
          index: 0,
        },
      ],
    };
    door.answers(json(gemini([{ text: 'Ok.' }], 'STOP')));
    await door.whole('chat-completions', GEMINI_3, nextRequest('chat-completions', [turn], ['sunny']));
    expect(listAt(door.sent(), 'contents.1.parts')).toEqual([weather('c2lnbmF0dXJl')]);
  });
});

describe('checklist 25: a signature stays on its part, whatever kind the part is of', () => {
  const kinds: [name: string, parts: JsonObject[]][] = [
    ['a thought', [{ text: 'Hm.', thought: true, thoughtSignature: 'dGhvdWdodA==' }, { text: 'Yes.' }]],
    ['a text', [{ text: 'Yes.', thoughtSignature: 'dGV4dA==' }]],
    [
      'a call after a thought with one of its own',
      [{ text: 'Hm.', thought: true, thoughtSignature: 'b25l' }, weather('dHdv')],
    ],
    ['an empty text at the end', [{ text: 'Yes.' }, { text: '', thoughtSignature: 'ZW5k' }]],
  ];
  test.each(kinds.flatMap(([name, parts]) => ways.map((way) => ({ name, parts, ...way }))))(
    'checklist 25: $name ($from, $mode)',
    async ({ parts, from, mode }) => {
      const results = parts.some((part) => part['functionCall']) ? ['sunny'] : [];
      const sent = await goOn(from, GEMINI_3, both(parts)[mode], mode, results);
      const signed = (list: readonly JsonObject[]): unknown[] =>
        list.filter((part) => part['thoughtSignature'] !== undefined).map((part) => part['thoughtSignature']);
      expect(signed(listAt(sent, 'contents.1.parts'))).toEqual(signed(parts));
      const text = (list: readonly JsonObject[]): string => list.map((part) => part['text'] ?? '').join('');
      expect(text(listAt(sent, 'contents.1.parts'))).toBe(text(parts));
    },
  );
});

test.each(ways)(
  'checklist 26: calls made at once come back in their order, signed and unsigned ($from, $mode)',
  async ({ from, mode }) => {
    const other = { functionCall: { name: 'get_time', args: { city: 'Oslo' } } };
    const parts = [weather('Zmlyc3Q='), other, { functionCall: { name: 'get_time', args: { city: 'Rom' } } }];
    const sent = await goOn(from, GEMINI_3, both(parts)[mode], mode, ['sunny', 'noon', 'two']);
    expect(listAt(sent, 'contents.1.parts')).toEqual(parts);
  },
);

describe('checklist 27: calls whose signature nobody knows', () => {
  const turn = {
    role: 'assistant',
    content: null,
    tool_calls: ['call_1', 'call_2'].map((id) => ({
      id,
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Rom"}' },
    })),
  };
  test.each([
    [GEMINI_3, 'skip_thought_signature_validator'],
    [GEMINI, undefined],
  ])('checklist 27: to %s the first of a step has %j', async (model, signature) => {
    door.answers(json(gemini([{ text: 'Ok.' }], 'STOP')));
    await door.whole('chat-completions', model, nextRequest('chat-completions', [turn], ['a', 'b']));
    expect(listAt(door.sent(), 'contents.1.parts')).toEqual([weather(signature), weather()]);
  });
});

describe('checklist 28: a part that holds several things loses none', () => {
  const png = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
  test('checklist 28: in a request', () => {
    const contents = [
      { role: 'user', parts: [{ text: 'What is it?', inlineData: png }] },
      { role: 'model', parts: [{ inlineData: png, thoughtSignature: 'c2ln' }] },
      { role: 'user', parts: [{ text: 'And?' }] },
    ];
    const google = formats['generate-content'];
    const again = google.outbound.renderRequest(
      google.inbound.parseRequest({ contents }, unreported),
      PERMISSIVE,
      unreported,
    );
    expect(again['contents']).toEqual([
      { role: 'user', parts: [{ text: 'What is it?' }, { inlineData: png }] },
      contents[1],
      contents[2],
    ]);
  });

  const drawn = { inlineData: png, thoughtSignature: 'c2ln' };

  test.each(ways)(
    'checklist 28: in an answer it is told, beside what the format has a place for ($from, $mode)',
    async ({ from, mode }) => {
      door.answers(both([{ text: 'Look:' }, drawn])[mode]);
      const paths = {
        'chat-completions': ['choices.0.message.', 'choices.0.delta.'],
        responses: ['', 'response.'],
        messages: ['', 'delta.'],
      } as const;
      const [whole, streamed] = paths[from];
      const told =
        mode === 'whole'
          ? [at((await door.whole(from, GEMINI_3)).json, `${whole}provider_specific_fields`)]
          : (await door.stream(from, GEMINI_3)).data.flatMap(
              (event) => at(event, `${streamed}provider_specific_fields`) ?? [],
            );
      expect(told).toEqual([{ 'generate-content': [drawn] }]);
    },
  );

  test.each(['whole', 'stream'] as const)(
    'checklist 28: and from a chat client it comes back, %s',
    async (mode) => {
      const sent = await goOn('chat-completions', GEMINI_3, both([{ text: 'Look:' }, drawn])[mode], mode, []);
      expect(listAt(sent, 'contents.1.parts')).toContainEqual(drawn);
    },
  );

  test('checklist 28: text and call in one part', async () => {
    door.answers(json(gemini([{ text: 'I look.', ...weather('c2ln') }], 'STOP')));
    const { json: body } = await door.whole('messages', GEMINI_3);
    expect(listAt(body, 'content').map(({ type }) => type)).toEqual(['text', 'thinking', 'tool_use']);
  });
});

describe('checklist 29: a client that keeps no field it does not know', () => {
  test('checklist 29: can go on all the same, with ids no longer than services take', async () => {
    door.answers(json(gemini([weather('c2lnbmF0dXJl'.repeat(200))], 'STOP')));
    const { json: body } = await door.whole('chat-completions', GEMINI_3);
    const [message] = turnOf('chat-completions', body);
    const id = String(at(message, 'tool_calls.0.id'));
    expect(id.length).toBeLessThanOrEqual(40);
    const kept = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: at(message, 'tool_calls.0.function') ?? null }],
    };
    await door.whole('chat-completions', GEMINI_3, nextRequest('chat-completions', [kept], ['sunny']));
    expect(at(door.sent(), 'contents.1.parts.0.thoughtSignature')).toBe('skip_thought_signature_validator');
  });
});

/** Blocks of Claude's, whole and streamed. */
const claude = (blocks: readonly JsonObject[], stop: string): Readonly<Record<'whole' | 'stream', Said>> => ({
  whole: json(claudeMessage(blocks, stop)),
  stream: claudeStream(
    blocks.map((block): [JsonObject, ...JsonObject[]] => {
      switch (block['type']) {
        case 'thinking':
          return [
            { type: 'thinking', thinking: '', signature: '' },
            ...(block['thinking'] === ''
              ? []
              : [{ type: 'thinking_delta', thinking: block['thinking'] ?? '' }]),
            { type: 'signature_delta', signature: block['signature'] ?? '' },
          ];
        case 'text':
          return [
            { type: 'text', text: '' },
            { type: 'text_delta', text: block['text'] ?? '' },
          ];
        case 'tool_use':
          return [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) },
          ];
        default:
          return [block];
      }
    }),
    stop,
  ),
});

const use = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Rom' } };

describe("checklist 30 to 33: Claude's thinking comes back to it block by block, byte for byte", () => {
  const odd = 'Ünïcødé \u{1f914}\u2028 "quoted"\\ \t tabs, and space at the end \n\n ';
  const cases: [name: string, blocks: JsonObject[]][] = [
    [
      'checklist 30: an empty one with a signature',
      [{ type: 'thinking', thinking: '', signature: 'RW1wdHk=' }, use],
    ],
    ['checklist 31: a redacted one', [{ type: 'redacted_thinking', data: 'UmVkYWN0ZWQ+/w==' }, use]],
    [
      'checklist 32: one of odd characters',
      [{ type: 'thinking', thinking: odd, signature: 'T2Rk+/==' }, use],
    ],
    [
      'checklist 33: several, each with its own',
      [
        { type: 'thinking', thinking: 'First.', signature: 'MQ==' },
        { type: 'redacted_thinking', data: 'Mg==' },
        { type: 'thinking', thinking: 'Third.', signature: 'Mw==' },
        use,
      ],
    ],
  ];
  test.each(cases.flatMap(([name, blocks]) => foreign.map((way) => ({ name, blocks, ...way }))))(
    '$name ($from, $mode)',
    async ({ blocks, from, mode }) => {
      const thinking =
        from === 'responses' ? { reasoning: { effort: 'high' } } : { reasoning_effort: 'high' };
      const sent = await goOn(
        from,
        CLAUDE_ADAPTIVE,
        claude(blocks, 'tool_use')[mode],
        mode,
        ['sunny'],
        thinking,
      );
      expect(listAt(sent, 'messages.1.content')).toEqual(blocks);
    },
  );

  test('checklist 32: on the native path no byte of a body is touched', async () => {
    const body = `{"model":"claude-sonnet-4-5","max_tokens":9000, "thinking":{"type":"enabled","budget_tokens":2000},"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"RQ=="} ,{"type":"redacted_thinking","data":"\\u0052"},{"type":"text","text":"${'Ü \\n'}"}]},{"role":"user","content":"On."}]}`;
    door.answers(json(claudeMessage([{ type: 'text', text: 'Ok.' }], 'end_turn')));
    await fetch(`${door.url()}/v1/messages`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-api-key': KEY },
    });
    expect(door.upstream().received[0]?.body.toString()).toBe(body);
  });
});

describe('checklist 34: thinking is not asked for where the history would make it a 400', () => {
  const unthought = {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rom"}' } },
    ],
  };
  test('checklist 34: a call without its thinking, to a model that thinks by a budget', async () => {
    door.answers(json(claudeMessage([{ type: 'text', text: 'Ok.' }], 'end_turn')));
    const more = { tools: [cityTool('chat-completions')], reasoning_effort: 'high', max_tokens: 9000 };
    const request = { ...more, ...nextRequest('chat-completions', [unthought], ['sunny']) };
    await door.whole('chat-completions', CLAUDE, request);
    expect(door.sent()['thinking']).toBeUndefined();
    // Once that round is over, the model may think again.
    const later = [
      ...listAt(request, 'messages'),
      { role: 'assistant', content: 'Sun.' },
      { role: 'user', content: 'And now?' },
    ];
    await door.whole('chat-completions', CLAUDE, { ...request, messages: later });
    expect(at(door.sent(), 'thinking.type')).toBe('enabled');
  });

  test("checklist 34: another vendor's thinking is not sent in its place", async () => {
    door.answers(json(claudeMessage([{ type: 'text', text: 'Ok.' }], 'end_turn')));
    await door.whole('chat-completions', CLAUDE, {
      reasoning_effort: 'high',
      max_tokens: 9000,
      ...nextRequest('chat-completions', [{ ...unthought, reasoning_content: 'Hm.' }], ['sunny']),
    });
    expect(door.sent()['thinking']).toBeUndefined();
    expect(listAt(door.sent(), 'messages.1.content').map(({ type }) => type)).toEqual(['tool_use']);
  });
});

describe('checklist 35: services that want their reasoning back get it in every request', () => {
  const answers = {
    whole: json(
      completion(
        {
          content: null,
          reasoning_content: 'Rome, then.',
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"Rom"}' },
            },
          ],
        },
        'tool_calls',
      ),
    ),
    stream: chatStream(
      chunk({ role: 'assistant', content: null, reasoning_content: 'Rome, ' }),
      chunk({ content: null, reasoning_content: 'then.' }),
      chunk({
        tool_calls: [
          {
            index: 0,
            id: 'call_1',
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Rom"}' },
          },
        ],
      }),
      chunk({}, 'tool_calls'),
    ),
  };
  // Chat-completions and responses reach DeepSeek natively: byte for byte.
  test.each(['whole', 'stream'] as const)('checklist 35: from messages, %s', async (mode) => {
    const sent = await goOn('messages', DEEPSEEK, answers[mode], mode, ['sunny']);
    expect(at(sent, 'messages.1.reasoning_content')).toBe('Rome, then.');
    expect(at(sent, 'messages.1.tool_calls.0.id')).toBe('call_1');
  });
});

describe('checklist 36: reasoning is shown to every caller', () => {
  const blocks = [
    { type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' },
    { type: 'text', text: 'Yes.' },
  ];
  test('checklist 36: to a chat client as reasoning_content and as blocks, streamed and whole', async () => {
    const answers = claude(blocks, 'end_turn');
    door.answers(answers.whole);
    const [whole] = turnOf('chat-completions', (await door.whole('chat-completions', CLAUDE)).json);
    door.answers(answers.stream);
    const [streamed] = turnOfStream('chat-completions', (await door.stream('chat-completions', CLAUDE)).data);
    for (const message of [whole, streamed]) {
      expect(message).toMatchObject({
        content: 'Yes.',
        reasoning_content: 'Let me think.',
        thinking_blocks: [{ type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' }],
      });
    }
  });

  test.each(['whole', 'stream'] as const)(
    'checklist 36: to a responses client as a reasoning item, %s',
    async (mode) => {
      door.answers(claude(blocks, 'end_turn')[mode]);
      const items =
        mode === 'whole'
          ? turnOf('responses', (await door.whole('responses', CLAUDE)).json)
          : turnOfStream('responses', (await door.stream('responses', CLAUDE)).data);
      expect(items.map(({ type }) => type)).toEqual(['reasoning', 'message']);
      expect(at(items[0], 'summary.0.text')).toBe('Let me think.');
    },
  );

  test('checklist 36: to a messages client as a thinking block, from chat and from Gemini', async () => {
    door.answers(json(completion({ content: 'Yes.', reasoning_content: 'Let me think.' }, 'stop')));
    const fromChat = await door.whole('messages', QWEN);
    door.answers(json(gemini([{ text: 'Let me think.', thought: true }, { text: 'Yes.' }], 'STOP')));
    const fromGemini = await door.whole('messages', GEMINI);
    for (const { json: body } of [fromChat, fromGemini]) {
      expect(listAt(body, 'content')).toMatchObject([
        { type: 'thinking', thinking: 'Let me think.' },
        { type: 'text', text: 'Yes.' },
      ]);
    }
  });
});

test('checklist 37: thoughts that a vendor cannot have back are reported', () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: '' };
  const body = {
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [thought, { type: 'text', text: 'Yes.' }] },
      { role: 'user', content: 'Sure?' },
    ],
  };
  const prompt = formats.messages.inbound.parseRequest({ model: 'm', ...body }, unreported);
  const foreignPrompt = { ...prompt, own: { format: 'chat-completions', fields: {} } } as const;
  for (const name of ['messages', 'generate-content'] as const) {
    const notes: Note[] = [];
    const sent = formats[name].outbound.renderRequest(foreignPrompt, PERMISSIVE, (note) => notes.push(note));
    const isSent = JSON.stringify(sent).includes('Hm.');
    const isTold = notes.some(
      ({ outcome, detail }) => outcome === 'dropped' && /think|signature/.test(detail),
    );
    expect([isSent, isTold]).not.toEqual([false, false]);
  }
});

describe('checklist 38: no thought is ever visible text', () => {
  const answers: [
    name: string,
    model: string,
    callers: readonly Caller[],
    said: Readonly<Record<'whole' | 'stream', Said>>,
  ][] = [
    [
      'Gemini',
      GEMINI,
      CALLERS,
      both([{ text: 'SECRET ', thought: true }, { text: 'thought', thought: true }, { text: 'Yes.' }]),
    ],
    [
      'Claude',
      CLAUDE,
      ['chat-completions', 'responses'],
      claude(
        [
          { type: 'thinking', thinking: 'SECRET', signature: 'c2ln' },
          { type: 'text', text: 'Yes.' },
        ],
        'end_turn',
      ),
    ],
    [
      'a service with reasoning_content',
      QWEN,
      ['responses', 'messages'],
      {
        whole: json(completion({ content: 'Yes.', reasoning_content: 'SECRET' }, 'stop')),
        stream: chatStream(
          chunk({ reasoning_content: 'SECRET' }),
          chunk({ content: 'Yes.' }),
          chunk({}, 'stop'),
        ),
      },
    ],
    [
      'a service with reasoning',
      QWEN,
      ['responses', 'messages'],
      {
        whole: json(completion({ content: 'Yes.', reasoning: 'SECRET' }, 'stop')),
        stream: chatStream(chunk({ reasoning: 'SECRET' }), chunk({ content: 'Yes.' }), chunk({}, 'stop')),
      },
    ],
  ];
  test.each(
    answers.flatMap(([name, model, callers, said]) => callers.map((from) => ({ name, model, from, said }))),
  )('checklist 38: $name to $from', async ({ model, from, said }) => {
    for (const mode of ['whole', 'stream'] as const) {
      door.answers(said[mode]);
      const reply = (
        mode === 'whole' ? await door.whole(from, model) : await door.stream(from, model)
      ).reply();
      const texts = (kind: string): string =>
        (reply.choices[0]?.parts ?? [])
          .map((part) => (part.kind === kind && 'text' in part ? part.text : ''))
          .join('');
      expect(texts('text')).toBe('Yes.');
      expect(texts('thinking')).toContain('SECRET');
    }
  });
});
