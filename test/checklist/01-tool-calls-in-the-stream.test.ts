/** Checklist, section 1: tool calls in a stream. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { parseJson } from '../../src/lib/json.ts';
import { meaningOf } from '../support/meaning.ts';
import { FIXTURES } from '../support/recording.ts';
import {
  at,
  CALLERS,
  type Caller,
  CLAUDE,
  chatStream,
  chunk,
  cityTool,
  claudeMessage,
  claudeStream,
  completion,
  GEMINI,
  GLM,
  gemini,
  geminiStream,
  json,
  listAt,
  QWEN,
  RESPONDER,
  type Said,
  useDoor,
} from './support.ts';

const door = useDoor();

const piece = (index: number | undefined, fields: JsonObject): JsonObject => ({
  tool_calls: [{ ...(index !== undefined && { index }), ...fields }],
});
const opened = (id: string, name: string, text = ''): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});
const more = (text: string): JsonObject => ({ function: { arguments: text } });

/** The calls that a client of the format reads, by name, arguments and id. */
function callsOf(reply: ReturnType<Awaited<ReturnType<typeof door.stream>>['reply']>) {
  const parts = reply.choices[0]?.parts ?? [];
  return parts.flatMap((part) =>
    part.kind === 'tool-call'
      ? [{ id: part.id, name: part.name, args: parseJson(part.arguments || '{}') }]
      : [],
  );
}
const named = (calls: ReturnType<typeof callsOf>) => calls.map(({ name, args }) => [name, args]);

test('checklist 1: a whole call from Gemini reaches a messages client as start, arguments, stop', async () => {
  door.answers(
    geminiStream(
      gemini([{ functionCall: { name: 'get_weather', args: { city: 'Köln', days: 3 } } }], 'STOP'),
    ),
  );
  const { data } = await door.stream('messages', GEMINI, { tools: [cityTool('messages')] });
  const told = data.filter(({ type }) => String(type).startsWith('content_block'));
  expect(told.map(({ type }) => type)).toEqual([
    'content_block_start',
    ...told.slice(1, -1).map(() => 'content_block_delta'),
    'content_block_stop',
  ]);
  expect(told[0]).toMatchObject({ content_block: { type: 'tool_use', name: 'get_weather', input: {} } });
  const pieces = told.slice(1, -1).map((event) => at(event, 'delta.partial_json'));
  expect(pieces.length).toBeGreaterThan(0);
  expect(parseJson(pieces.join(''))).toEqual({ city: 'Köln', days: 3 });
});

describe('checklist 204: a call that Gemini names with a module prefix', () => {
  test.each(
    CALLERS.flatMap((from) => ['default_api:', 'default_api.'].map((module) => [from, module] as const)),
  )('checklist 204: is one of the function, from %s, after %s', async (from, module) => {
    const call = { functionCall: { name: `${module}get_weather`, args: { city: 'Köln' } } };
    door.answers(geminiStream(gemini([call], 'STOP')));
    const { reply } = await door.stream(from, GEMINI, { tools: [cityTool(from)] });
    expect(named(callsOf(reply()))).toEqual([['get_weather', { city: 'Köln' }]]);
  });
});

describe('checklist 2: streamed and whole, an answer means the same to every caller', () => {
  const models = {
    'chat-completions': QWEN,
    responses: RESPONDER,
    messages: CLAUDE,
    'generate-content': GEMINI,
  } as const;
  const pairs = (['chat-completions', 'responses', 'messages', 'generate-content'] as const).flatMap(
    (format) => {
      const folder = join(FIXTURES, 'replies', format);
      const files = readdirSync(folder);
      return files
        .filter((file) => file.endsWith('.json') && files.includes(file.replace('.json', '.sse')))
        .map((file) => ({ format, name: file.replace('.json', ''), folder }));
    },
  );

  test.each(pairs)('checklist 2: $format/$name', async ({ format, name, folder }) => {
    const model = models[format];
    for (const from of CALLERS.filter((caller) => caller !== format)) {
      door.answers({ type: 'text/event-stream', body: readFileSync(join(folder, `${name}.sse`)) });
      const streamed = meaningOf((await door.stream(from, model)).reply());
      door.answers({ type: 'application/json', body: readFileSync(join(folder, `${name}.json`)) });
      const whole = meaningOf((await door.whole(from, model)).reply());
      expect(streamed).toEqual(whole);
    }
  });
});

const twoCalls = [
  ['get_weather', { city: 'Rom' }],
  ['get_time', { city: 'Oslo' }],
];

describe('checklist 3: the start of a call ends the previous call', () => {
  const first = opened('call_a', 'get_weather', '{"city":"Rom"}');
  const second = opened('call_b', 'get_time', '{"city":"Oslo"}');
  const answers: [name: string, said: Said][] = [
    ['by a new index', chatStream(chunk(piece(0, first)), chunk(piece(1, second)), chunk({}, 'tool_calls'))],
    [
      'by a new id alone',
      chatStream(chunk(piece(0, first)), chunk(piece(0, second)), chunk({}, 'tool_calls')),
    ],
    [
      'by a new name alone',
      chatStream(
        chunk(piece(undefined, { function: { name: 'get_weather', arguments: '{"city":"Rom"}' } })),
        chunk(piece(undefined, { function: { name: 'get_time', arguments: '{"city":"Oslo"}' } })),
        chunk({}, 'tool_calls'),
      ),
    ],
    [
      'in one chunk',
      chatStream(
        chunk({
          tool_calls: [
            { index: 0, ...first },
            { index: 1, ...second },
          ],
        }),
        chunk({}, 'tool_calls'),
      ),
    ],
  ];
  test.each(answers)('checklist 3: %s', async (_, said) => {
    for (const from of ['messages', 'responses'] as const) {
      door.answers(said);
      const { data, reply } = await door.stream(from, QWEN);
      expect(named(callsOf(reply()))).toEqual(twoCalls);
      if (from === 'messages') {
        const starts = data.filter(({ type }) => type === 'content_block_start');
        const stops = data.filter(({ type }) => type === 'content_block_stop');
        expect(starts.map(({ index }) => index)).toEqual([0, 1]);
        expect(stops.map(({ index }) => index)).toEqual([0, 1]);
      }
    }
  });
});

test('checklist 4: interleaved fragments of two calls are delivered one call after the other', async () => {
  door.answers(
    chatStream(
      chunk(piece(0, opened('call_a', 'get_weather'))),
      chunk(piece(1, opened('call_b', 'get_time'))),
      chunk(piece(0, more('{"ci'))),
      chunk(piece(1, more('{"city":'))),
      chunk(piece(0, more('ty":"Rom"}'))),
      chunk(piece(1, more('"Oslo"}'))),
      chunk({}, 'tool_calls'),
    ),
  );
  const { data, reply } = await door.stream('messages', QWEN);
  const order = data.filter(({ type }) => String(type).startsWith('content_block')).map(({ index }) => index);
  expect(order).toEqual(order.toSorted());
  expect(named(callsOf(reply()))).toEqual(twoCalls);
});

test('checklist 5: for a chat client tool calls count from 0, whatever blocks precede them', async () => {
  door.answers(
    claudeStream(
      [
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'Let me see.' },
        ],
        [
          { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
          { type: 'input_json_delta', partial_json: '{"city":"Rom"}' },
        ],
        [
          { type: 'tool_use', id: 'toolu_2', name: 'get_time', input: {} },
          { type: 'input_json_delta', partial_json: '{"city":"Oslo"}' },
        ],
      ],
      'tool_use',
    ),
  );
  const { data, reply } = await door.stream('chat-completions', CLAUDE);
  const starts = data
    .flatMap((event) => at(event, 'choices.0.delta.tool_calls.0') ?? [])
    .filter((call) => at(call, 'id'));
  expect(starts.map((call) => at(call, 'index'))).toEqual([0, 1]);
  expect(named(callsOf(reply()))).toEqual(twoCalls);
});

test('checklist 6: every piece of a call has its index; id, type and name are sent once', async () => {
  door.answers(
    claudeStream(
      [
        [
          { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
          { type: 'input_json_delta', partial_json: '' },
          { type: 'input_json_delta', partial_json: '{"city":' },
          { type: 'input_json_delta', partial_json: '"Rom"}' },
        ],
      ],
      'tool_use',
    ),
  );
  const { data } = await door.stream('chat-completions', CLAUDE);
  const pieces = data.flatMap((event) => at(event, 'choices.0.delta.tool_calls.0') ?? []);
  expect(pieces.length).toBeGreaterThan(2);
  for (const [place, call] of pieces.entries()) {
    expect(at(call, 'index')).toBe(0);
    const head = [at(call, 'id'), at(call, 'type'), at(call, 'function.name')];
    expect(head).toEqual(
      place === 0 ? ['toolu_1', 'function', 'get_weather'] : [undefined, undefined, undefined],
    );
  }
});

describe('checklist 7: calls get separate indexes if the vendor sends none, or the same one for all', () => {
  const calls = (index?: number): JsonObject[] => [
    chunk(piece(index, opened('call_a', 'get_weather', '{"city":"Rom"}'))),
    chunk(piece(index, opened('call_b', 'get_time', '{"city":"Oslo"}'))),
    chunk({}, 'tool_calls'),
  ];
  test.each([
    ['none', undefined],
    ['0 to all', 0],
    ['7 to all', 7],
  ])('checklist 7: %s', async (_, index) => {
    door.answers(chatStream(...calls(index)));
    const { data } = await door.stream('messages', QWEN);
    const starts = data.filter(({ type }) => type === 'content_block_start');
    expect(starts.map(({ index: place }) => place)).toEqual([0, 1]);
    door.answers(chatStream(...calls(index)));
    const { reply } = await door.stream('responses', QWEN);
    expect(named(callsOf(reply()))).toEqual(twoCalls);
  });
});

describe('checklist 177: arguments end with their JSON object, whatever a service sends after it', () => {
  const whole = '{"city":"Rom {}"}';
  const first = chunk(piece(0, opened('call_a', 'get_weather', '')));
  const rest = (...texts: string[]): JsonObject[] =>
    texts.map((text) => chunk(piece(0, { function: { arguments: text } })));

  test.each<[string, JsonObject[]]>([
    ['all of them again at the end', rest(whole.slice(0, 9), whole.slice(9), whole)],
    ['twice in one piece', rest(whole + whole)],
    ['the rest and all again', rest(whole.slice(0, 4), whole.slice(4) + whole)],
    ['the mark of its model', rest(whole, '\n</tool_call>')],
    [
      'the call again with all of them',
      [...rest(whole), chunk(piece(0, opened('call_a', 'get_weather', whole)))],
    ],
  ])('checklist 177: %s', async (_, pieces) => {
    for (const from of ['messages', 'responses'] as const) {
      door.answers(chatStream(first, ...pieces, chunk({}, 'tool_calls')));
      const { reply } = await door.stream(from, QWEN);
      expect(named(callsOf(reply()))).toEqual([['get_weather', { city: 'Rom {}' }]]);
    }
  });
});

describe('checklist 207: an empty object before the arguments is not the arguments', () => {
  const head = (text: string): JsonObject => chunk(piece(0, opened('call_a', 'get_weather', text)));
  const rest = (...texts: string[]): JsonObject[] =>
    texts.map((text) => chunk(piece(0, { function: { arguments: text } })));

  test.each<[string, JsonObject[], JsonObject]>([
    ['in the piece that begins the call', [head('{}'), ...rest('{"city":', '"Rom"}')], { city: 'Rom' }],
    ['in a piece of its own', [head(''), ...rest('{}', '{"city":"Rom"}')], { city: 'Rom' }],
    ['in one piece with them', [head('{}{"city":"Rom"}')], { city: 'Rom' }],
    ['where nothing comes after it', [head(''), ...rest('{}')], {}],
    ['where only a mark of the model comes after it', [head('{}'), ...rest('\n</tool_call>')], {}],
    ['told in pieces', [head(''), ...rest('{', '}')], {}],
  ])('checklist 207: %s', async (_, pieces, input) => {
    for (const from of ['messages', 'responses'] as const) {
      const next = chunk(piece(1, opened('call_b', 'get_time', '{}')));
      door.answers(chatStream(...pieces, next, chunk({}, 'tool_calls')));
      const { reply } = await door.stream(from, QWEN);
      expect(named(callsOf(reply()))).toEqual([
        ['get_weather', input],
        ['get_time', {}],
      ]);
    }
  });
});

describe('checklist 210: calls that GPT makes through its tool for parallel calls are calls', () => {
  const uses = (...names: readonly string[]): string =>
    JSON.stringify({
      tool_uses: names.map((name) => ({ recipient_name: `functions.${name}`, parameters: { city: 'Rom' } })),
    });
  const rom = { city: 'Rom' };
  const TOOLS = ['get_weather', 'get_time'];
  const toolsOf = (from: Caller, names: readonly string[]): JsonObject => ({
    tools: names.map((name) => cityTool(from, name)),
  });
  /** A call, then the call in two pieces, and another one after it. */
  const chat = (name: string, text: string): Said =>
    chatStream(
      chunk(piece(0, opened('call_a', 'get_time', '{}'))),
      chunk(piece(1, opened('call_b', name, text.slice(0, 9)))),
      chunk(piece(1, more(text.slice(9)))),
      chunk(piece(2, opened('call_c', 'get_time', '{}'))),
      chunk({}, 'tool_calls'),
    );

  describe.each(['multi_tool_use.parallel', 'parallel'])('%s', (name) => {
    test.each(['messages', 'responses'] as const)(
      'checklist 210: by chat-completions, to %s',
      async (from) => {
        door.answers(chat(name, uses(...TOOLS)));
        const { reply } = await door.stream(from, QWEN, toolsOf(from, TOOLS));
        const calls = callsOf(reply());
        expect(named(calls)).toEqual([
          ['get_time', {}],
          ['get_weather', rom],
          ['get_time', rom],
          ['get_time', {}],
        ]);
        expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
      },
    );

    test.each(['messages', 'chat-completions'] as const)(
      'checklist 210: by responses, to %s',
      async (from) => {
        const call = {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'call_a',
          name,
          arguments: uses(...TOOLS),
        };
        const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };
        door.answers(json({ object: 'response', id: 'resp_1', status: 'completed', output: [call], usage }));
        const { reply } = await door.whole(from, RESPONDER, toolsOf(from, TOOLS));
        expect(named(callsOf(reply()))).toEqual([
          ['get_weather', rom],
          ['get_time', rom],
        ]);
      },
    );
  });

  test.each([
    ['one of them is a tool that the caller does not have', ['get_weather', 'python'], TOOLS],
    ['the caller has a tool of the name', TOOLS, [...TOOLS, 'parallel']],
  ])('checklist 210: not if %s', async (_, used, had) => {
    door.answers(chat('parallel', uses(...used)));
    const { reply } = await door.stream('messages', QWEN, toolsOf('messages', had));
    expect(named(callsOf(reply()))).toEqual([
      ['get_time', {}],
      ['parallel', parseJson(uses(...used))],
      ['get_time', {}],
    ]);
  });
});

test.each(CALLERS)(
  'checklist 8: each call from Gemini is a call, in separate chunks or in one (%s)',
  async (from) => {
    const weather = { functionCall: { name: 'get_weather', args: { city: 'Rom' } } };
    const again = { functionCall: { name: 'get_weather', args: { city: 'Oslo' } } };
    const expected = [
      ['get_weather', { city: 'Rom' }],
      ['get_weather', { city: 'Oslo' }],
    ];
    for (const said of [
      geminiStream(gemini([weather]), gemini([again]), gemini([], 'STOP')),
      geminiStream(gemini([weather, again], 'STOP')),
    ]) {
      door.answers(said);
      const { reply } = await door.stream(from, GEMINI);
      const calls = callsOf(reply());
      expect(named(calls)).toEqual(expected);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    }
  },
);

test.each(CALLERS)(
  'checklist 9: a stream collected into a whole answer keeps the calls after text (%s)',
  async (from) => {
    // The vendor streams although it was not asked to, so the gateway has to collect the stream.
    door.answers(
      geminiStream(
        gemini([{ text: 'Let me ' }]),
        gemini([{ text: 'see.' }]),
        gemini([{ functionCall: { name: 'get_weather', args: { city: 'Rom' } } }]),
        gemini([{ functionCall: { name: 'get_time', args: { city: 'Oslo' } } }], 'STOP'),
      ),
    );
    const { reply } = await door.whole(from, GEMINI);
    const folded = meaningOf(reply());
    expect(folded).toMatchObject({ text: 'Let me see.', finish: 'tool-calls', input: 7, output: 5 });
    expect(named(callsOf(reply()))).toEqual(twoCalls);
  },
);

describe('checklist 10: a tool without parameters', () => {
  test('checklist 10: is called with {}, however the vendor writes no arguments, streamed and whole', async () => {
    const chatWhole = (text: string): Said =>
      json(completion({ content: null, tool_calls: [opened('call_a', 'now', text)] }, 'tool_calls'));
    const cases: [from: Caller, model: string, streamed: Said, whole: Said][] = [
      [
        'messages',
        QWEN,
        chatStream(chunk(piece(0, opened('call_a', 'now'))), chunk({}, 'tool_calls')),
        chatWhole(''),
      ],
      [
        'responses',
        QWEN,
        chatStream(
          chunk(piece(0, { id: 'call_a', type: 'function', function: { name: 'now' } })),
          chunk({}, 'tool_calls'),
        ),
        chatWhole(''),
      ],
      [
        'chat-completions',
        CLAUDE,
        claudeStream(
          [
            [
              { type: 'tool_use', id: 'toolu_1', name: 'now', input: {} },
              { type: 'input_json_delta', partial_json: '' },
            ],
          ],
          'tool_use',
        ),
        json(claudeMessage([{ type: 'tool_use', id: 'toolu_1', name: 'now', input: {} }], 'tool_use')),
      ],
      [
        'chat-completions',
        GEMINI,
        geminiStream(gemini([{ functionCall: { name: 'now' } }], 'STOP')),
        json(gemini([{ functionCall: { name: 'now' } }], 'STOP')),
      ],
    ];
    for (const [from, model, streamed, whole] of cases) {
      door.answers(streamed);
      const stream = await door.stream(from, model);
      expect(named(callsOf(stream.reply()))).toEqual([['now', {}]]);
      door.answers(whole);
      const { json: body } = await door.whole(from, model);
      if (from === 'chat-completions') {
        expect(at(body, 'choices.0.message.tool_calls.0.function.arguments')).toBe('{}');
        const texts = stream.data.flatMap(
          (event) => at(event, 'choices.0.delta.tool_calls.0.function.arguments') ?? [],
        );
        expect(texts.join('')).toBe('{}');
      } else if (from === 'messages') {
        expect(at(body, 'content.0.input')).toEqual({});
        expect(stream.data.flatMap((event) => at(event, 'delta.partial_json') ?? []).join('')).toBe('{}');
      } else expect(at(body, 'output.0.arguments')).toBe('{}');
    }
  });

  test.each(['messages', 'responses'] as const)(
    'checklist 10: null means no arguments too (%s)',
    async (from) => {
      const call = piece(0, opened('call_a', 'now', 'null'));
      const other = piece(1, opened('call_b', 'set', '{"to":'));
      const rest = piece(1, { function: { arguments: 'null' } });
      const end = piece(1, { function: { arguments: '}' } });
      door.answers(chatStream(chunk(call), chunk(other), chunk(rest), chunk(end), chunk({}, 'tool_calls')));
      const parts = (await door.stream(from, QWEN)).reply().choices[0]?.parts ?? [];
      expect(parts.map((part) => part.kind === 'tool-call' && (part.arguments || '{}'))).toEqual([
        '{}',
        '{"to":null}',
      ]);
    },
  );

  test.each(['', '{}', 'null'])('checklist 10: is sent back from a history that has %j', async (text) => {
    const messages = [
      { role: 'user', content: 'What time is it?' },
      { role: 'assistant', content: null, tool_calls: [opened('call_a', 'now', text)] },
      { role: 'tool', tool_call_id: 'call_a', content: '12:00' },
    ];
    door.answers(json(claudeMessage([{ type: 'text', text: 'Noon.' }], 'end_turn')));
    await door.whole('chat-completions', CLAUDE, { messages });
    expect(at(door.sent(), 'messages.1.content.0')).toMatchObject({
      type: 'tool_use',
      name: 'now',
      input: {},
    });
    door.answers(json(gemini([{ text: 'Noon.' }], 'STOP')));
    await door.whole('chat-completions', GEMINI, { messages });
    expect(at(door.sent(), 'contents.1.parts.0')).toEqual({ functionCall: { name: 'now', args: {} } });
  });
});

describe('checklist 11: the finish reason agrees with the content', () => {
  test.each(CALLERS)(
    'checklist 11: tool_calls as the reason without any call is corrected (%s)',
    async (from) => {
      const model = from === 'chat-completions' ? RESPONDER : QWEN;
      if (from === 'chat-completions') {
        door.answers(json(claudeMessage([{ type: 'text', text: 'Done.' }], 'tool_use')));
        const { json: body } = await door.whole(from, CLAUDE);
        expect(at(body, 'choices.0.finish_reason')).toBe('stop');
        door.answers(
          claudeStream(
            [
              [
                { type: 'text', text: '' },
                { type: 'text_delta', text: 'Done.' },
              ],
            ],
            'tool_use',
          ),
        );
        expect(meaningOf((await door.stream(from, CLAUDE)).reply()).finish).toBe('stop');
        return;
      }
      door.answers(chatStream(chunk({ role: 'assistant', content: 'Done.' }), chunk({}, 'tool_calls')));
      const { data } = await door.stream(from, model);
      door.answers(json(completion({ content: 'Done.' }, 'tool_calls')));
      const { json: body } = await door.whole(from, model);
      if (from === 'messages') {
        expect(data.map((event) => at(event, 'delta.stop_reason')).filter(Boolean)).toEqual(['end_turn']);
        expect(at(body, 'stop_reason')).toBe('end_turn');
      } else {
        expect(at(body, 'status')).toBe('completed');
        expect(listAt(body, 'output').map(({ type }) => type)).toEqual(['message']);
      }
    },
  );

  test('checklist 11: calls with another finish reason are an end by tool calls', async () => {
    const call = opened('call_a', 'get_weather', '{"city":"Rom"}');
    door.answers(chatStream(chunk(piece(0, call)), chunk({}, 'stop')));
    const { data } = await door.stream('messages', QWEN);
    expect(data.map((event) => at(event, 'delta.stop_reason')).filter(Boolean)).toEqual(['tool_use']);
    door.answers(json(completion({ content: null, tool_calls: [call] }, 'stop')));
    expect(at((await door.whole('messages', QWEN)).json, 'stop_reason')).toBe('tool_use');
    door.answers(
      json(claudeMessage([{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }], 'end_turn')),
    );
    expect(at((await door.whole('chat-completions', CLAUDE)).json, 'choices.0.finish_reason')).toBe(
      'tool_calls',
    );
  });
});

test('checklist 240: Z.ai is asked to stream arguments: otherwise it is silent until they are complete', async () => {
  const tools = [cityTool('messages')];
  door.answers((_, response) => response.writeHead(418).end('{}'));
  await door.stream('messages', GLM, { tools });
  expect(door.sent()).toMatchObject({ stream: true, tool_stream: true });
  await door.stream('messages', GLM);
  expect(door.sent()).not.toHaveProperty('tool_stream');
  expect(await door.sentFor('messages', GLM, { tools })).not.toHaveProperty('tool_stream');
});
