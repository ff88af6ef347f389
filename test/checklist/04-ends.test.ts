/** Checklist, section 4: why an answer ended, and answers with nothing in them. */

import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import {
  at,
  type Both,
  CALLERS,
  type Caller,
  CLAUDE,
  chatStream,
  chunk,
  claudeBoth,
  completion,
  GEMINI,
  gemini,
  geminiStream,
  json,
  QWEN,
  RESPONDER,
  type Said,
  useDoor,
} from './support.ts';

const door = useDoor();

const weather = { functionCall: { name: 'get_weather', args: { city: 'Rom' } } };
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Rom"}' },
};

/** The finish reason of a whole answer in its format; for responses, the status and its reason. */
function endOf(from: Caller, body: JsonObject): Json {
  switch (from) {
    case 'chat-completions':
      return at(body, 'choices.0.finish_reason') ?? null;
    case 'responses':
      return at(body, 'incomplete_details.reason') ?? at(body, 'status') ?? null;
    case 'messages':
      return at(body, 'stop_reason') ?? null;
  }
}

/** All finish reasons of a stream. */
function endsOf(from: Caller, data: readonly JsonObject[]): readonly Json[] {
  switch (from) {
    case 'chat-completions':
      return data.flatMap((event) => at(event, 'choices.0.finish_reason') ?? []);
    case 'responses':
      return data.slice(-1).map((event) => endOf(from, Object(event['response'])));
    case 'messages':
      return data.flatMap((event) => at(event, 'delta.stop_reason') ?? []);
  }
}

/** The finish reasons of a whole answer and of a stream. */
async function ends(from: Caller, model: string, said: Both): Promise<[Json, readonly Json[]]> {
  door.answers(said.whole);
  const whole = endOf(from, (await door.whole(from, model)).json);
  door.answers(said.stream);
  return [whole, endsOf(from, (await door.stream(from, model)).data)];
}

const byCalls: Readonly<Record<Caller, string>> = {
  'chat-completions': 'tool_calls',
  responses: 'completed',
  messages: 'tool_use',
};

describe('checklist 39: the finish reason covers the whole stream', () => {
  const streams: [name: string, said: Said][] = [
    ['a bare STOP after the call', geminiStream(gemini([weather]), gemini([], 'STOP'))],
    [
      'an empty text with STOP after the call',
      geminiStream(gemini([weather]), gemini([{ text: '' }], 'STOP')),
    ],
    ['STOP in every chunk', geminiStream(gemini([weather], 'STOP'), gemini([{ text: '' }], 'STOP'))],
  ];
  test.each(streams.flatMap(([name, said]) => CALLERS.map((from) => ({ name, said, from }))))(
    'checklist 39: $name ($from)',
    async ({ said, from }) => {
      door.answers(said);
      const { data, reply } = await door.stream(from, GEMINI);
      expect(endsOf(from, data)).toEqual([byCalls[from]]);
      expect(reply().choices[0]?.end.finish).toBe('tool-calls');
    },
  );
});

test('checklist 40: Google is asked in its own format, and a compatible service that says stop after calls is corrected', async () => {
  door.answers(geminiStream(gemini([{ text: 'Yes.' }], 'STOP')));
  await door.stream('chat-completions', GEMINI);
  expect(door.upstream().received[0]?.url).toBe(
    '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  );
  // What Google's compatible endpoint streams: ids that are empty, and `stop`.
  const shim = chatStream(chunk({ tool_calls: [{ index: 0, ...call, id: '' }] }), chunk({}, 'stop'));
  for (const from of ['messages', 'responses'] as const) {
    door.answers(shim);
    expect(endsOf(from, (await door.stream(from, QWEN)).data)).toEqual([byCalls[from]]);
  }
});

test('checklist 41: a chat client gets the reason once, in the last chunk', async () => {
  door.answers(geminiStream(...['Ye', 's', '.'].map((text) => gemini([{ text }], 'STOP'))));
  const { data } = await door.stream('chat-completions', GEMINI);
  const reasons = data
    .filter(({ choices }) => Array.isArray(choices) && choices.length > 0)
    .map((event) => at(event, 'choices.0.finish_reason'));
  expect(reasons.length).toBeGreaterThan(3);
  expect(reasons).toEqual([...reasons.slice(0, -1).map(() => null), 'stop']);
});

describe('checklist 42: an answer with a call ends by tool calls, whatever else is in it', () => {
  const answers: [name: string, model: string, callers: readonly Caller[], said: Both][] = [
    [
      'text, then a call, and the word stop',
      QWEN,
      ['messages', 'responses'],
      {
        whole: json(completion({ content: 'I look.', tool_calls: [call] }, 'stop')),
        stream: chatStream(
          chunk({ content: 'I look.' }),
          chunk({ tool_calls: [{ index: 0, ...call }] }),
          chunk({}, 'stop'),
        ),
      },
    ],
    [
      'a call, then text',
      GEMINI,
      CALLERS,
      {
        whole: json(gemini([weather, { text: 'Done.' }], 'STOP')),
        stream: geminiStream(gemini([weather]), gemini([{ text: 'Done.' }]), gemini([], 'STOP')),
      },
    ],
    [
      'a call, then text, and the word end_turn',
      CLAUDE,
      ['chat-completions', 'responses'],
      claudeBoth(
        [
          { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Rom' } },
          { type: 'text', text: 'Done.' },
        ],
        'end_turn',
      ),
    ],
  ];
  test.each(
    answers.flatMap(([name, model, callers, said]) => callers.map((from) => ({ name, model, from, said }))),
  )('checklist 42: $name ($from)', async ({ model, from, said }) => {
    expect(await ends(from, model, said)).toEqual([byCalls[from], [byCalls[from]]]);
  });
});

const filtered: Readonly<Record<Caller, string>> = {
  'chat-completions': 'content_filter',
  responses: 'content_filter',
  messages: 'refusal',
};

describe('checklist 43: a malformed call is not a success', () => {
  const candidate = (content: JsonObject | undefined): JsonObject => ({
    candidates: [
      {
        ...(content && { content }),
        finishReason: 'MALFORMED_FUNCTION_CALL',
        finishMessage: 'print(x)',
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
    modelVersion: 'gemini-m',
    responseId: 'resp1',
  });
  const contents: [name: string, content: JsonObject | undefined][] = [
    ['content without parts', {}],
    ['content without parts but with a role', { role: 'model' }],
    ['no content', undefined],
    ['parts without a role', { parts: [] }],
  ];
  test.each(contents.flatMap(([name, content]) => CALLERS.map((from) => ({ name, content, from }))))(
    'checklist 43: $name ($from)',
    async ({ content, from }) => {
      const said = { whole: json(candidate(content)), stream: geminiStream(candidate(content)) };
      expect(await ends(from, GEMINI, said)).toEqual([filtered[from], [filtered[from]]]);
    },
  );

  test.each(
    ['OTHER', 'NO_IMAGE', 'A_WORD_OF_TOMORROW'].flatMap((word) =>
      CALLERS.map((from) => [word, from] as const),
    ),
  )('checklist 43: an answer of nothing but thoughts, for %s (%s)', async (word, from) => {
    const thought = { text: 'Hm.', thought: true };
    for (const parts of [[], [thought]]) {
      const said = {
        whole: json(gemini(parts, word)),
        stream: geminiStream(gemini(parts), gemini([], word)),
      };
      expect(await ends(from, GEMINI, said)).toEqual([filtered[from], [filtered[from]]]);
    }
    door.answers(json(gemini([], word)));
    expect((await door.whole(from, GEMINI)).text).toContain(`"${word}"`);
  });

  test.each(CALLERS)('checklist 43: an answer with malformed text (%s)', async (from) => {
    const parts = [{ text: 'Half of' }];
    const said = {
      whole: json(gemini(parts, 'MALFORMED_RESPONSE')),
      stream: geminiStream(gemini(parts), gemini([], 'MALFORMED_RESPONSE')),
    };
    expect(await ends(from, GEMINI, said)).toEqual([filtered[from], [filtered[from]]]);
  });

  // OpenRouter's word for it beside Gemini's own (BerriAI/litellm#23273).
  test.each(['responses', 'messages'] as const)(
    'checklist 43: a malformed call of Gemini that a router calls an error (%s)',
    async (from) => {
      const choice = { index: 0, finish_reason: 'error', native_finish_reason: 'MALFORMED_FUNCTION_CALL' };
      const message = { role: 'assistant', content: '' };
      const said = {
        whole: json(completion({}, 'error', { choices: [{ ...choice, message }] })),
        stream: chatStream(chunk(message), chunk({}, 'error', { choices: [{ ...choice, delta: {} }] })),
      };
      expect(await ends(from, QWEN, said)).toEqual([filtered[from], [filtered[from]]]);
    },
  );

  test('checklist 43: any other error of a router stays one', async () => {
    const message = { role: 'assistant', content: 'Half of' };
    for (const native of ['error', 'stop', 'OTHER', null]) {
      const choice = { index: 0, message, finish_reason: 'error', native_finish_reason: native };
      door.answers(json(completion({}, 'error', { choices: [choice] })));
      expect((await door.whole('messages', QWEN)).status).toBe(502);
    }
  });

  test('checklist 43: the caller can read which call it was', async () => {
    door.answers(json(candidate({})));
    expect(at((await door.whole('chat-completions', GEMINI)).json, 'choices.0.native_finish_reason')).toBe(
      'MALFORMED_FUNCTION_CALL',
    );
    door.answers(json(candidate({})));
    expect(at((await door.whole('messages', GEMINI)).json, 'stop_details.explanation')).toBe(
      'MALFORMED_FUNCTION_CALL: print(x)',
    );
  });
});

test.each(CALLERS)('checklist 44: a prompt that Gemini blocks is a filtered answer (%s)', async (from) => {
  const blocked = {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
    modelVersion: 'gemini-m',
    responseId: 'resp1',
  };
  for (const body of [blocked, { ...blocked, candidates: [] }]) {
    const said = { whole: json(body), stream: geminiStream(body) };
    expect(await ends(from, GEMINI, said)).toEqual([filtered[from], [filtered[from]]]);
  }
});

describe('checklist 45: an answer that breaks off is reported as a failure', () => {
  const vendors: [name: string, model: string, callers: readonly Caller[], begun: string][] = [
    [
      'chat-completions',
      QWEN,
      ['responses', 'messages'],
      `data: ${JSON.stringify(chunk({ role: 'assistant', content: 'Yes, ' }))}\n\n`,
    ],
    [
      'messages',
      CLAUDE,
      ['chat-completions', 'responses'],
      String(claudeBoth([{ type: 'text', text: 'Yes, ' }], 'end_turn').stream.body).split(
        'event: message_delta',
      )[0] ?? '',
    ],
    ['generate-content', GEMINI, CALLERS, `data: ${JSON.stringify(gemini([{ text: 'Yes, ' }]))}\r\n\r\n`],
    [
      'responses',
      RESPONDER,
      ['chat-completions', 'messages'],
      [
        {
          type: 'response.created',
          sequence_number: 0,
          response: { id: 'resp_1', object: 'response', status: 'in_progress', model: 'm', output: [] },
        },
        {
          type: 'response.output_item.added',
          sequence_number: 1,
          output_index: 0,
          item: { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
        },
        {
          type: 'response.content_part.added',
          sequence_number: 2,
          output_index: 0,
          content_index: 0,
          item_id: 'msg_1',
          part: { type: 'output_text', text: '', annotations: [] },
        },
        {
          type: 'response.output_text.delta',
          sequence_number: 3,
          output_index: 0,
          content_index: 0,
          item_id: 'msg_1',
          delta: 'Yes, ',
        },
      ]
        .map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
        .join(''),
    ],
  ];
  const ways = ['ends', 'is reset', 'stops inside an event'] as const;
  const cases = vendors.flatMap(([name, model, callers, begun]) =>
    callers.flatMap((from) => ways.map((way) => ({ name, model, from, begun, way }))),
  );
  test.each(cases)('checklist 45: $name, which $way, to $from', async ({ model, from, begun, way }) => {
    door.answers((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const body = way === 'stops inside an event' ? `${begun}data: {"cho` : begun;
      response.write(body, () => {
        if (way === 'is reset') setTimeout(() => response.destroy(), 20);
        else response.end();
      });
    });
    const { text, data, reply } = await door.stream(from, model);
    expect(text).toContain('Yes, ');
    expect(() => reply()).toThrow();
    expect(endsOf(from, data).filter((end) => end !== 'failed')).toEqual([]);
    expect(text).not.toContain('[DONE]');
    expect(text).not.toContain('message_stop');
    expect(text).not.toContain('response.completed');
  });

  test.each(CALLERS)(
    'checklist 45: Gemini stops for a tool that Google runs, and continues: a break after that is not an end (%s)',
    async (from) => {
      const ran = { executableCode: { language: 'PYTHON', code: 'print(1)' } };
      const answer = [gemini([ran], 'STOP'), gemini([{ text: 'It is ' }]), gemini([{ text: '1.' }], 'STOP')];
      door.answers(geminiStream(...answer));
      expect((await door.stream(from, GEMINI)).reply().choices[0]?.end.finish).toBe('stop');
      door.answers(geminiStream(...answer.slice(0, 2)));
      const cut = await door.stream(from, GEMINI);
      expect(cut.text).toContain('It is ');
      expect(() => cut.reply()).toThrow();
      // Content after the end of an answer does not start it again.
      door.answers(geminiStream(...answer, gemini([{ text: '', thoughtSignature: 'AA==' }]), gemini([])));
      expect((await door.stream(from, GEMINI)).reply().choices[0]?.end.finish).toBe('stop');
    },
  );

  test.each(CALLERS)('checklist 45: a whole body that breaks off is a 502 (%s)', async (from) => {
    const whole = JSON.stringify(
      from === 'chat-completions'
        ? gemini([{ text: 'Yes.' }], 'STOP')
        : completion({ content: 'Yes.' }, 'stop'),
    );
    door.answers({ type: 'application/json', body: whole.slice(0, -20) });
    expect((await door.whole(from, from === 'chat-completions' ? GEMINI : QWEN)).status).toBe(502);
    door.answers((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length });
      response.write(whole.slice(0, -20), () => setTimeout(() => response.destroy(), 20));
    });
    expect((await door.whole(from, from === 'chat-completions' ? GEMINI : QWEN)).status).toBe(502);
  });

  test('checklist 45: an empty answer is a failure', async () => {
    for (const [model, body] of [
      [QWEN, ''],
      [QWEN, 'data: [DONE]\n\n'],
      [GEMINI, ''],
      [GEMINI, 'data: {"usageMetadata":{"promptTokenCount":1,"totalTokenCount":1}}\r\n\r\n'],
    ] as const) {
      door.answers({ type: 'text/event-stream', body });
      expect((await door.stream('messages', model)).text).not.toContain('message_stop');
    }
  });
});

describe('checklist 46: a caller gets only finish reasons of its own format', () => {
  // support.ts checks every finish reason; here those of all vendors pass through it.
  const google = [
    'STOP',
    'MAX_TOKENS',
    'SAFETY',
    'RECITATION',
    'LANGUAGE',
    'OTHER',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'MALFORMED_FUNCTION_CALL',
    'IMAGE_SAFETY',
    'UNEXPECTED_TOOL_CALL',
    'TOO_MANY_TOOL_CALLS',
    'NO_IMAGE',
    'MODEL_ARMOR',
    'ESCALATION',
    'PUP_LIMITED_DISABLED',
    'A_WORD_OF_TOMORROW',
  ];
  const claude = [
    'end_turn',
    'max_tokens',
    'pause_turn',
    'refusal',
    'model_context_window_exceeded',
    'a_word_of_tomorrow',
  ];
  const chat = ['stop', 'length', 'content_filter', 'eos', 'model_length', 'safety', 'a_word_of_tomorrow'];
  const cases = [
    ...google.flatMap((word) =>
      CALLERS.map((from) => ({
        word,
        from,
        model: GEMINI,
        said: {
          whole: json(gemini([{ text: 'Yes.' }], word)),
          stream: geminiStream(gemini([{ text: 'Yes.' }]), gemini([], word)),
        },
      })),
    ),
    ...claude.flatMap((word) =>
      (['chat-completions', 'responses'] as const).map((from) => ({
        word,
        from,
        model: CLAUDE,
        said: claudeBoth([{ type: 'text', text: 'Yes.' }], word),
      })),
    ),
    ...chat.flatMap((word) =>
      (['messages', 'responses'] as const).map((from) => ({
        word,
        from,
        model: QWEN,
        said: {
          whole: json(completion({ content: 'Yes.' }, word)),
          stream: chatStream(chunk({ content: 'Yes.' }), chunk({}, word)),
        },
      })),
    ),
  ];
  const words: Readonly<Record<Caller, readonly string[]>> = {
    'chat-completions': ['stop', 'length', 'content_filter'],
    responses: ['completed', 'max_output_tokens', 'content_filter'],
    messages: ['end_turn', 'max_tokens', 'refusal', 'pause_turn', 'model_context_window_exceeded'],
  };
  test.each(cases)('checklist 46: $word to $from', async ({ from, model, said }) => {
    const [whole, streamed] = await ends(from, model, said);
    expect(words[from]).toContain(whole);
    expect(streamed).toEqual([whole]);
  });
});

describe('checklist 46: an answer of Claude that a filter ended is no normal end', () => {
  // Not documented, but seen: earendil-works/pi#978, router-for-me/CLIProxyAPI#4958.
  const said = claudeBoth([{ type: 'text', text: 'Well, ' }], 'sensitive');

  test.each(['chat-completions', 'responses'] as const)('checklist 46: sensitive, in %s', async (from) => {
    expect(await ends(from, CLAUDE, said)).toEqual(['content_filter', ['content_filter']]);
  });
});

const ended = (word: string): Both => ({
  whole: json(completion({ content: 'Well, ' }, word)),
  stream: chatStream(chunk({ content: 'Well, ' }), chunk({}, word)),
});

describe("checklist 46: words of Google's and Amazon's services in OpenAI's format are no normal end", () => {
  test.each<[string, Caller, Json]>([
    ['content_filter: PROHIBITED_CONTENT', 'messages', 'refusal'],
    ['content_filter: PROHIBITED_CONTENT', 'responses', 'content_filter'],
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'messages', 'refusal'],
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'responses', 'content_filter'],
    ['guardrail_intervened', 'messages', 'refusal'],
    ['content_filtered', 'messages', 'refusal'],
    ['content_filtered', 'responses', 'content_filter'],
    ['malformed_tool_use', 'messages', 'refusal'],
    ['malformed_model_output', 'responses', 'content_filter'],
  ])('checklist 46: %s, in %s', async (word, from, expected) => {
    expect(await ends(from, QWEN, ended(word))).toEqual([expected, [expected]]);
  });
});

describe("checklist 46: Amazon's words in Anthropic's format are no normal end", () => {
  test.each<[string, Caller, Json]>([
    ['guardrail_intervened', 'chat-completions', 'content_filter'],
    ['guardrail_intervened', 'responses', 'content_filter'],
    ['content_filtered', 'chat-completions', 'content_filter'],
    ['malformed_tool_use', 'chat-completions', 'content_filter'],
    ['malformed_model_output', 'responses', 'content_filter'],
  ])('checklist 46: %s, in %s', async (word, from, expected) => {
    expect(await ends(from, CLAUDE, claudeBoth([{ type: 'text', text: 'Well, ' }], word))).toEqual([
      expected,
      [expected],
    ]);
  });
});

/** Beside any end: `InvokeModel` of Amazon's API reference. */
const INTERVENED = { 'amazon-bedrock-guardrailAction': 'INTERVENED' };

/** What a vendor said, with further fields in each of its lines that is chosen. */
function withFields(
  { type, body }: Said,
  isChosen: (line: string) => boolean,
  fields: JsonObject = INTERVENED,
): Said {
  const more = JSON.stringify(fields).slice(1, -1);
  const lines = String(body)
    .split('\n')
    .map((line) => (line.endsWith('}') && isChosen(line) ? `${line.slice(0, -1)},${more}}` : line));
  return { type, body: lines.join('\n') };
}

describe("checklist 46: an answer that a guardrail of Amazon's has changed is no normal end", () => {
  const blocked = claudeBoth([{ type: 'text', text: 'Sorry.' }], 'end_turn');
  const claudes: [at: string, said: Both][] = [
    'message_start',
    'content_block_delta',
    'message_delta',
    'message_stop',
  ].map((type) => [
    type,
    {
      whole: withFields(blocked.whole, () => true),
      stream: withFields(blocked.stream, (event) => event.includes(`"type":"${type}"`)),
    },
  ]);

  test.each(claudes)('checklist 46: Claude, beside %s', async (_, said) => {
    for (const from of ['chat-completions', 'responses'] as const)
      expect(await ends(from, CLAUDE, said)).toEqual(['content_filter', ['content_filter']]);
  });

  test.each([
    ['messages', 'refusal'],
    ['responses', 'content_filter'],
  ] as const)('checklist 46: in chat-completions, to %s', async (from, expected) => {
    const said = {
      whole: json({ ...completion({ content: 'Sorry.' }, 'stop'), ...INTERVENED }),
      stream: chatStream(chunk({ content: 'Sorry.' }), chunk({}, 'stop', INTERVENED)),
    };
    expect(await ends(from, QWEN, said)).toEqual([expected, [expected]]);
  });

  test('checklist 46: the action NONE changes nothing', async () => {
    const action = { 'amazon-bedrock-guardrailAction': 'NONE' };
    const said = {
      whole: withFields(blocked.whole, () => true, action),
      stream: withFields(blocked.stream, () => true, action),
    };
    expect(await ends('chat-completions', CLAUDE, said)).toEqual(['stop', ['stop']]);
  });
});

describe("checklist 168: Z.ai's own finish reasons are understood", () => {
  const GLM = 'z-ai/glm-5.2';

  test.each<[string, Caller, Json]>([
    ['sensitive', 'messages', 'refusal'],
    ['sensitive', 'responses', 'content_filter'],
    ['model_context_window_exceeded', 'messages', 'model_context_window_exceeded'],
    ['model_context_window_exceeded', 'responses', 'max_output_tokens'],
  ])('checklist 168: %s, in %s', async (word, from, expected) => {
    expect(await ends(from, GLM, ended(word))).toEqual([expected, [expected]]);
  });

  test.each(['messages', 'responses'] as const)(
    'checklist 168: a network_error is not a success, in %s',
    async (from) => {
      const said = ended('network_error');
      door.answers(said.whole);
      expect((await door.whole(from, GLM)).status).toBe(502);
      door.answers(said.stream);
      const streamed = await door.stream(from, GLM);
      expect(streamed.status === 502 || /"type":"(?:error|response.failed)"/.test(streamed.text)).toBe(true);
    },
  );
});
