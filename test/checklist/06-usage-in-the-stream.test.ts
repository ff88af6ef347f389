/** Checklist, section 6: usage, streamed and whole. */

import { describe, expect, test } from 'vitest';
import { usageReaders } from '../../src/formats/usage-readers.ts';
import { asObject, type Json, type JsonObject } from '../../src/lib/json.ts';
import {
  at,
  type Both,
  CALLERS,
  type Caller,
  CLAUDE,
  chatStream,
  chunk,
  claudeMessage,
  completion,
  GEMINI,
  gemini,
  geminiStream,
  json,
  namedStream,
  QWEN,
  RESPONDER,
  useDoor,
} from './support.ts';

const door = useDoor();

/** The usage of a whole answer. */
const usageOf = (body: JsonObject): Json => at(body, 'usage') ?? null;

/** The usage at the end of a stream. */
function usageOfStream(from: Caller, data: readonly JsonObject[]): Json {
  switch (from) {
    case 'chat-completions':
      return at(data.at(-1), 'usage') ?? null;
    case 'responses':
      return at(data.at(-1), 'response.usage') ?? null;
    case 'messages':
      // Some fields are in the first event only, and clients put the last one's figures over it.
      return {
        ...asObject(at(data[0], 'message.usage')),
        ...asObject(
          at(
            data.findLast(({ type }) => type === 'message_delta'),
            'usage',
          ),
        ),
      };
  }
}

const CHAT_USAGE = {
  prompt_tokens: 100,
  completion_tokens: 30,
  total_tokens: 130,
  prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 15 },
  completion_tokens_details: { reasoning_tokens: 20 },
};

const chat: Both = {
  whole: json(completion({ content: 'Yes.' }, 'stop', { usage: CHAT_USAGE })),
  stream: chatStream(chunk({ role: 'assistant', content: 'Yes.' }), chunk({}, 'stop'), {
    ...chunk({}),
    choices: [],
    usage: CHAT_USAGE,
  }),
};

const GEMINI_USAGE = {
  promptTokenCount: 100,
  cachedContentTokenCount: 60,
  candidatesTokenCount: 10,
  thoughtsTokenCount: 20,
  totalTokenCount: 130,
};

/** Figures grow from chunk to chunk, as Gemini's do. */
const google: Both = {
  whole: json(gemini([{ text: 'Yes.' }], 'STOP', GEMINI_USAGE)),
  stream: geminiStream(
    gemini([{ text: 'Ye' }], undefined, { ...GEMINI_USAGE, candidatesTokenCount: 1, totalTokenCount: 121 }),
    gemini([{ text: 's' }], undefined, { ...GEMINI_USAGE, candidatesTokenCount: 5, totalTokenCount: 125 }),
    gemini([{ text: '.' }], 'STOP', GEMINI_USAGE),
  ),
};

const CLAUDE_USAGE = { input_tokens: 25, cache_read_input_tokens: 60, cache_creation_input_tokens: 15 };

const anthropic: Both = {
  whole: json(
    claudeMessage([{ type: 'text', text: 'Yes.' }], 'end_turn', { ...CLAUDE_USAGE, output_tokens: 30 }),
  ),
  stream: claudeWith({ ...CLAUDE_USAGE, output_tokens: 1 }, { ...CLAUDE_USAGE, output_tokens: 30 }),
};

/** Anthropic's stream with different usage at the start and at the end. */
function claudeWith(start: JsonObject, end: JsonObject) {
  return namedStream(
    { type: 'message_start', message: claudeMessage([], null, start) },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: end },
    { type: 'message_stop' },
  );
}

const sources: [name: string, model: string, callers: readonly Caller[], said: Both][] = [
  ['chat-completions', QWEN, ['responses', 'messages'], chat],
  ['generate-content', GEMINI, CALLERS, google],
  ['messages', CLAUDE, ['chat-completions', 'responses'], anthropic],
];

test('checklist 54: a messages stream reports all input at its end, and estimates it at its start', async () => {
  door.answers(chat.stream);
  const { data } = await door.stream('messages', QWEN);
  // LangChain's ChatAnthropic reads the input nowhere else. A token of English has about four characters.
  const estimate = Math.ceil(JSON.stringify(door.sent()).length / 4);
  expect(at(data[0], 'message.usage')).toMatchObject({ input_tokens: estimate, output_tokens: 0 });
  expect(usageOfStream('messages', data)).toMatchObject({
    input_tokens: 25,
    cache_read_input_tokens: 60,
    cache_creation_input_tokens: 15,
    output_tokens: 30,
  });
});

test.each(
  sources.flatMap(([name, model, callers, said]) => callers.map((from) => ({ name, model, from, said }))),
)('checklist 55: $name to $from: the same figures streamed and whole', async ({ model, from, said }) => {
  door.answers(said.whole);
  const whole = usageOf((await door.whole(from, model)).json);
  door.answers(said.stream);
  const streamed = usageOfStream(from, (await door.stream(from, model)).data);
  expect(JSON.stringify(whole)).toContain('60');
  expect(streamed).toEqual(whole);
});

const asked: Readonly<Record<'chat-completions' | 'responses', JsonObject>> = {
  'chat-completions': {
    prompt_tokens: 100,
    completion_tokens: 30,
    total_tokens: 130,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 15 },
  },
  responses: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 60, cache_write_tokens: 15 },
    output_tokens: 30,
    total_tokens: 130,
  },
};

describe.each(['chat-completions', 'responses'] as const)('to %s', (from) => {
  test(`checklist 56: usage that Anthropic reports at the start and again at the end is counted once (${from})`, async () => {
    door.answers(anthropic.stream);
    expect(usageOfStream(from, (await door.stream(from, CLAUDE)).data)).toMatchObject(asked[from]);
  });

  test.each([
    ['what only the start says', { output_tokens: 30 }],
    [
      'what the end says as null',
      {
        input_tokens: null,
        cache_read_input_tokens: null,
        cache_creation_input_tokens: null,
        output_tokens: 30,
      },
    ],
  ])(`checklist 57: %s is kept (${from})`, async (_, end) => {
    door.answers(claudeWith({ ...CLAUDE_USAGE, output_tokens: 1 }, end));
    expect(usageOfStream(from, (await door.stream(from, CLAUDE)).data)).toMatchObject(asked[from]);
  });

  test(`checklist 57: usage that only the end reports is kept (${from})`, async () => {
    door.answers(claudeWith({ input_tokens: 0, output_tokens: 0 }, { ...CLAUDE_USAGE, output_tokens: 30 }));
    expect(usageOfStream(from, (await door.stream(from, CLAUDE)).data)).toMatchObject(asked[from]);
  });
});

test.each(CALLERS)(
  "checklist 58: Gemini's figures in each chunk replace the previous ones (%s)",
  async (from) => {
    door.answers(google.stream);
    const { reply } = await door.stream(from, GEMINI);
    expect(reply().usage).toMatchObject({ input: 100, cacheRead: 60, output: 30 });
  },
);

test("checklist 58: a chunk of Gemini's without output figures does not reset them", async () => {
  const figures = { promptTokenCount: 3, candidatesTokenCount: 2, thoughtsTokenCount: 4, totalTokenCount: 9 };
  door.answers(
    geminiStream(
      { ...gemini([{ text: 'a' }]), usageMetadata: figures },
      { ...gemini([], 'SAFETY'), usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 } },
    ),
  );
  expect((await door.stream('chat-completions', GEMINI)).reply().usage).toMatchObject({
    input: 5,
    output: 6,
    reasoning: 4,
  });
  const [first, last] = [figures, { promptTokenCount: 5, totalTokenCount: 5 }];
  expect(usageReaders['generate-content'].tokens([first, last], '')).toMatchObject({ input: 5, output: 6 });
});

test("checklist 59: Gemini's thoughts count as output, and are reported as reasoning", async () => {
  for (const mode of ['whole', 'stream'] as const) {
    const usage = async (from: Caller): Promise<Json> => {
      door.answers(google[mode]);
      return mode === 'whole'
        ? usageOf((await door.whole(from, GEMINI)).json)
        : usageOfStream(from, (await door.stream(from, GEMINI)).data);
    };
    expect(await usage('chat-completions')).toMatchObject({
      completion_tokens: 30,
      total_tokens: 130,
      completion_tokens_details: { reasoning_tokens: 20 },
    });
    expect(await usage('responses')).toMatchObject({
      output_tokens: 30,
      total_tokens: 130,
      output_tokens_details: { reasoning_tokens: 20 },
    });
    expect(await usage('messages')).toMatchObject({ output_tokens: 30 });
  }
});

describe("checklist 60: Gemini's prompt has its cached tokens inside, Anthropic's input has them outside", () => {
  test.each(['whole', 'stream'] as const)('checklist 60: %s', async (mode) => {
    const ask = async (from: Caller, model: string, said: Both): Promise<Json> => {
      door.answers(said[mode]);
      return mode === 'whole'
        ? usageOf((await door.whole(from, model)).json)
        : usageOfStream(from, (await door.stream(from, model)).data);
    };
    expect(await ask('messages', GEMINI, google)).toMatchObject({
      input_tokens: 40,
      cache_read_input_tokens: 60,
    });
    expect(await ask('chat-completions', GEMINI, google)).toMatchObject({
      prompt_tokens: 100,
      prompt_tokens_details: { cached_tokens: 60 },
    });
    expect(await ask('chat-completions', CLAUDE, anthropic)).toMatchObject(asked['chat-completions']);
    expect(await ask('messages', QWEN, chat)).toMatchObject({ ...CLAUDE_USAGE, output_tokens: 30 });
  });

  test('checklist 60: more cached tokens than input never make a negative number', async () => {
    door.answers(
      json(
        gemini([{ text: 'Yes.' }], 'STOP', { ...GEMINI_USAGE, promptTokenCount: 50, totalTokenCount: 80 }),
      ),
    );
    const usage = usageOf((await door.whole('messages', GEMINI)).json);
    expect(usage).toMatchObject({ input_tokens: 0, cache_read_input_tokens: 50 });
  });
});

describe('checklist 61: a chat stream has usage only if the caller asked for it', () => {
  test('checklist 61: if asked: one chunk without choices, right before [DONE], and null in every other', async () => {
    door.answers(google.stream);
    const { events, data } = await door.stream('chat-completions', GEMINI);
    expect(events.at(-1)?.data).toBe('[DONE]');
    const told = data.filter(({ usage }) => usage !== null);
    expect(told).toHaveLength(1);
    expect(data.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 100 } });
  });

  test.each([[{ stream_options: { include_usage: false } }], [{ stream_options: null }]])(
    'checklist 61: if not asked: none (%j)',
    async (more) => {
      door.answers(google.stream);
      const { text } = await door.stream('chat-completions', GEMINI, more);
      expect(text).not.toContain('"usage"');
      expect(text).not.toContain('"choices":[]');
    },
  );

  test.each(['messages', 'responses'] as const)(
    'checklist 61: for a %s caller the gateway always asks for it',
    async (from) => {
      door.answers(chat.stream);
      await door.stream(from, QWEN);
      expect(door.sent()).toMatchObject({ stream: true, stream_options: { include_usage: true } });
      door.answers(chat.whole);
      await door.whole(from, QWEN);
      expect(door.sent()['stream_options']).toBeUndefined();
    },
  );
});

describe('checklist 62: every chunk has the same id, model and time, and none is empty', () => {
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 };
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  const begin = {
    id: 'resp_1',
    object: 'response',
    created_at: 0,
    status: 'in_progress',
    model: '',
    output: [],
  };
  const answers: [name: string, model: string, said: Both['stream']][] = [
    [
      'Gemini without an id and a model',
      GEMINI,
      geminiStream(
        { candidates: [{ content: { parts: [{ text: 'Ye' }], role: 'model' } }] },
        {
          candidates: [{ content: { parts: [{ text: 's.' }], role: 'model' }, finishReason: 'STOP' }],
          usageMetadata,
        },
      ),
    ],
    [
      'Gemini whose id comes late',
      GEMINI,
      geminiStream(
        { candidates: [{ content: { parts: [{ text: 'Ye' }], role: 'model' } }] },
        gemini([{ text: 's.' }], 'STOP'),
      ),
    ],
    [
      'Anthropic with empty ones',
      CLAUDE,
      {
        type: 'text/event-stream',
        body: String(anthropic.stream.body).replace('"msg_1"', '""').replace('"claude-m"', '""'),
      },
    ],
    [
      'responses without a model',
      RESPONDER,
      namedStream(
        { type: 'response.created', sequence_number: 0, response: begin },
        {
          type: 'response.output_text.delta',
          sequence_number: 1,
          output_index: 0,
          content_index: 0,
          item_id: 'm',
          delta: 'Yes.',
        },
        {
          type: 'response.completed',
          sequence_number: 2,
          response: {
            ...begin,
            usage,
            status: 'completed',
            output: [
              {
                id: 'm',
                type: 'message',
                role: 'assistant',
                status: 'completed',
                content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
              },
            ],
          },
        },
      ),
    ],
  ];
  test.each(answers)('checklist 62: %s', async (_, model, said) => {
    door.answers(said);
    const { data, reply } = await door.stream('chat-completions', model);
    expect(reply().choices[0]?.parts).toMatchObject([{ text: 'Yes.' }]);
    const heads = new Set(data.map(({ id, model: name, created }) => JSON.stringify([id, name, created])));
    expect(heads.size).toBe(1);
    expect(data[0]).toMatchObject({
      id: expect.stringMatching(/./),
      model: expect.stringMatching(/./),
      created: expect.any(Number),
    });
  });
});

describe('a service tier that only the end of a stream names', () => {
  const usage = { ...GEMINI_USAGE, serviceTier: 'priority' };
  const told: [name: string, model: string, callers: readonly Caller[], said: Both['stream']][] = [
    [
      'generate-content',
      GEMINI,
      CALLERS,
      geminiStream(gemini([{ text: 'Ye' }]), gemini([{ text: 's.' }], 'STOP', usage)),
    ],
    [
      'chat-completions',
      QWEN,
      ['responses', 'messages'],
      chatStream(chunk({ role: 'assistant', content: 'Yes.' }), chunk({}, 'stop'), {
        ...chunk({}),
        choices: [],
        usage: CHAT_USAGE,
        service_tier: 'priority',
      }),
    ],
  ];
  const places: Readonly<Record<Caller, (data: readonly JsonObject[]) => Json | undefined>> = {
    'chat-completions': (data) => at(data.at(-1), 'service_tier'),
    responses: (data) => at(data.at(-1), 'response.service_tier'),
    messages: (data) =>
      at(
        data.findLast(({ type }) => type === 'message_delta'),
        'usage.service_tier',
      ),
  };

  test.each(
    told.flatMap(([name, model, callers, said]) => callers.map((from) => ({ name, model, from, said }))),
  )('from $name to $from', async ({ model, from, said }) => {
    door.answers(said);
    const more = from === 'chat-completions' ? { stream_options: { include_usage: true } } : {};
    const { data } = await door.stream(from, model, more);
    expect(places[from](data)).toBe('priority');
  });
});
