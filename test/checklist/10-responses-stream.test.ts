/** Checklist, section 10: a responses stream. */

import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { asObjects } from '../../src/lib/json.ts';
import { KEY } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import {
  at,
  CLAUDE,
  chatStream,
  chunk,
  claudeBoth,
  GEMINI,
  gemini,
  geminiStream,
  listAt,
  namedStream,
  QWEN,
  RESPONDER,
  type Said,
  useDoor,
} from './support.ts';

const door = useDoor();

const call = {
  tool_calls: [
    {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Rom"}' },
    },
  ],
};

/** A thought, a text and a call from each vendor. */
const answers: [name: string, model: string, said: Said][] = [
  [
    'chat-completions',
    QWEN,
    chatStream(
      chunk({ role: 'assistant', reasoning_content: 'Hm, ' }),
      chunk({ reasoning_content: 'so.' }),
      chunk({ content: 'I ' }),
      chunk({ content: 'look.' }),
      chunk(call),
      chunk({}, 'tool_calls'),
      { ...chunk({}), choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } },
    ),
  ],
  [
    'messages',
    CLAUDE,
    claudeBoth(
      [
        { type: 'thinking', thinking: 'Hm, so.', signature: 'c2ln' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Rom' } },
      ],
      'tool_use',
    ).stream,
  ],
  [
    'generate-content',
    GEMINI,
    geminiStream(
      gemini([{ text: 'Hm, ', thought: true }]),
      gemini([{ text: 'so.', thought: true }, { text: 'I look.' }]),
      gemini([{ functionCall: { id: 'call_1', name: 'get_weather', args: { city: 'Rom' } } }], 'STOP'),
    ),
  ],
];

const typesOf = (data: readonly JsonObject[]): readonly unknown[] => data.map(({ type }) => type);

describe.each(answers)('from %s', (_, model, said) => {
  test('checklist 86: every event is numbered, and every response has all its fields', async () => {
    door.answers(said);
    const { data } = await door.stream('responses', model);
    expect(data.map(({ sequence_number }) => sequence_number)).toEqual(data.map((__, place) => place));
    for (const event of data.filter(({ response }) => response !== undefined)) {
      expect(event['response']).toMatchObject({
        object: 'response',
        text: { format: { type: 'text' } },
        parallel_tool_calls: true,
        tools: [],
        tool_choice: 'auto',
        metadata: {},
        error: null,
        incomplete_details: null,
      });
    }
    expect(at(data.at(-1), 'response.usage')).toMatchObject({
      input_tokens_details: { cached_tokens: expect.any(Number) },
      output_tokens_details: { reasoning_tokens: expect.any(Number) },
      total_tokens: 12,
    });
  });

  test('checklist 87: the response is created, its items are added and done, and it is completed with all of them', async () => {
    door.answers(said);
    const { data } = await door.stream('responses', model);
    expect(typesOf(data).slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    const added = data
      .filter(({ type }) => type === 'response.output_item.added')
      .map((event) => at(event, 'item.type'));
    expect(added).toEqual(['reasoning', 'message', 'function_call']);
    const done = data.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    expect(data.at(-1)).toMatchObject({
      type: 'response.completed',
      response: {
        id: expect.stringMatching(/^resp_./),
        model: expect.stringMatching(/./),
        status: 'completed',
        output: done,
      },
    });
  });

  test('checklist 88: a reasoning part is added before its deltas, under one item id', async () => {
    door.answers(said);
    const { data } = await door.stream('responses', model);
    const reasoning = data.filter(({ type }) => String(type).startsWith('response.reasoning_summary'));
    expect(typesOf(reasoning)[0]).toBe('response.reasoning_summary_part.added');
    expect(typesOf(reasoning).slice(-2)).toEqual([
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
    ]);
    expect(new Set(reasoning.map(({ item_id }) => item_id))).toEqual(
      new Set([at(data.at(-1), 'response.output.0.id')]),
    );
    const deltas = reasoning.filter(({ type }) => type === 'response.reasoning_summary_text.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe('Hm, so.');
  });

  test('checklist 89: a call is an item, deltas, and part of the final output', async () => {
    door.answers(said);
    const { data } = await door.stream('responses', model);
    const deltas = data.filter(({ type }) => type === 'response.function_call_arguments.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe('{"city":"Rom"}');
    const output = asObjects(at(data.at(-1), 'response.output'));
    expect(output.at(-1)).toMatchObject({
      type: 'function_call',
      call_id: 'call_1',
      name: 'get_weather',
      arguments: '{"city":"Rom"}',
      status: 'completed',
    });
    expect(deltas.map(({ item_id }) => item_id)).toEqual(deltas.map(() => output.at(-1)?.['id']));
  });

  test("checklist 91: OpenAI's own SDK understands the stream", async () => {
    door.answers(said);
    const client = new OpenAI({ baseURL: `${door.url()}/v1`, apiKey: KEY, maxRetries: 0 });
    const stream = client.responses.stream({ model, input: 'Hello?' });
    const kinds = new Set<string>();
    for await (const event of stream) kinds.add(event.type);
    for (const kind of [
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]) {
      expect([...kinds]).toContain(kind);
    }
    const response = await stream.finalResponse();
    expect(response.output_text).toBe('I look.');
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
  });
});

describe('checklist 90: a service whose last event has an empty output', () => {
  const base = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'm', output: [] };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
  };
  const made = {
    id: 'fc_1',
    type: 'function_call',
    call_id: 'call_1',
    name: 'get_weather',
    arguments: '{"city":"Rom"}',
    status: 'completed',
  };
  const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };
  const streams: [name: string, events: JsonObject[]][] = [
    [
      'with deltas',
      [
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { ...message, status: 'in_progress', content: [] },
        },
        {
          type: 'response.content_part.added',
          output_index: 0,
          content_index: 0,
          item_id: 'msg_1',
          part: { type: 'output_text', text: '', annotations: [] },
        },
        {
          type: 'response.output_text.delta',
          output_index: 0,
          content_index: 0,
          item_id: 'msg_1',
          delta: 'I look.',
        },
        { type: 'response.output_item.done', output_index: 0, item: message },
        {
          type: 'response.output_item.added',
          output_index: 1,
          item: { ...made, arguments: '', status: 'in_progress' },
        },
        {
          type: 'response.function_call_arguments.delta',
          output_index: 1,
          item_id: 'fc_1',
          delta: '{"city":"Rom"}',
        },
        { type: 'response.output_item.done', output_index: 1, item: made },
      ],
    ],
    [
      'with items that come whole',
      [
        { type: 'response.output_item.done', output_index: 0, item: message },
        { type: 'response.output_item.done', output_index: 1, item: made },
      ],
    ],
  ];
  test.each(streams)('checklist 90: %s', async (_, events) => {
    const said = namedStream(
      { type: 'response.created', response: { ...base, status: 'in_progress' } },
      ...events,
      { type: 'response.completed', response: { ...base, status: 'completed', usage } },
    );
    const expected = [
      { kind: 'text', text: 'I look.' },
      { kind: 'tool-call', id: 'call_1', name: 'get_weather', arguments: '{"city":"Rom"}' },
    ];
    for (const from of ['chat-completions', 'messages'] as const) {
      door.answers(said);
      expect((await door.stream(from, RESPONDER)).reply().choices[0]?.parts).toMatchObject(expected);
      // It streams although a whole answer was asked for.
      door.answers(said);
      expect((await door.whole(from, RESPONDER)).reply().choices[0]?.parts).toMatchObject(expected);
    }
  });
});

describe('checklist 92: an answer that was cut by the limit is incomplete', () => {
  const cut: [name: string, model: string, said: Said][] = [
    ['chat-completions', QWEN, chatStream(chunk({ content: 'I lo' }), chunk({}, 'length'))],
    ['messages', CLAUDE, claudeBoth([{ type: 'text', text: 'I lo' }], 'max_tokens').stream],
    ['generate-content', GEMINI, geminiStream(gemini([{ text: 'I lo' }]), gemini([], 'MAX_TOKENS'))],
  ];
  test.each(cut)('checklist 92: from %s', async (_, model, said) => {
    door.answers(said);
    const { data } = await door.stream('responses', model);
    expect(data.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    });
    expect(listAt(data.at(-1), 'response.output')).toMatchObject([{ type: 'message', status: 'incomplete' }]);
  });

  test('checklist 92: from a service that speaks responses itself', async () => {
    const base = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' };
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'incomplete',
      content: [{ type: 'output_text', text: 'I lo', annotations: [] }],
    };
    const said = namedStream(
      { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item: message },
      {
        type: 'response.incomplete',
        response: {
          ...base,
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
          output: [message],
          usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
        },
      },
    );
    door.answers(said);
    expect((await door.stream('messages', RESPONDER)).reply().choices[0]?.end.finish).toBe('length');
    door.answers(said);
    expect((await door.stream('chat-completions', RESPONDER)).reply().choices[0]?.end.finish).toBe('length');
  });
});

/** A stream whose last event has the name that the Realtime API has for it, which agents for Codex take for the end. */
describe('a stream that ends with response.done', () => {
  const base = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' };
  const delta = {
    type: 'response.output_text.delta',
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta: 'Hello',
  };
  const created = { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } };
  const done = (response?: JsonObject): Said =>
    namedStream(created, delta, { type: 'response.done', ...(response && { response }) });
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  const reason = { incomplete_details: { reason: 'max_output_tokens' } };

  test.each([
    ['complete', { ...base, status: 'completed', output: [], usage }, 'stop'],
    ['without a status', { ...base, output: [], usage }, 'stop'],
    ['incomplete', { ...base, status: 'incomplete', ...reason, output: [], usage }, 'length'],
  ])('is over, if its response is %s', async (_, response, finish) => {
    for (const from of ['chat-completions', 'messages'] as const) {
      door.answers(done(response));
      const [choice] = (await door.stream(from, RESPONDER)).reply().choices;
      expect(choice?.parts).toMatchObject([{ text: 'Hello' }]);
      expect(choice?.end.finish).toBe(finish);
    }
    const said = done(response);
    door.answers(said);
    const asked = { model: RESPONDER, input: 'Hello?', stream: true };
    expect(await (await postJson(`${door.url()}/v1/responses`, asked)).text()).toBe(said.body);
  });

  test.each([
    ['fails', { ...base, status: 'failed', error: { code: 'server_error', message: 'No.' } }],
    ['is cancelled', { ...base, status: 'cancelled' }],
    ['goes on', { ...base, status: 'in_progress' }],
    ['is missing', undefined],
  ])('ends with an error, if its response %s', async (_, response) => {
    door.answers(done(response));
    expect((await door.stream('messages', RESPONDER)).text).toContain('"type":"error"');
  });
});

// `extract_last_text` of the OpenAI Agents SDK for Python, `getLastTextFromOutputMessage` of that for JavaScript.
test('checklist 295: an answer that Claude splits at citations is one text, as the Agents SDK expects', async () => {
  const cited = (text: string, url: string): JsonObject => ({
    type: 'text',
    text,
    citations: [
      { type: 'web_search_result_location', url, title: 'T', encrypted_index: '', cited_text: text },
    ],
  });
  const blocks = [
    { type: 'text', text: 'I look.' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'Rome' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    { type: 'text', text: 'Rome is ' },
    cited('sunny', 'https://a.example/'),
    { type: 'text', text: ' and ' },
    cited('warm', 'https://b.example/'),
    { type: 'text', text: '.' },
  ];
  const answers = claudeBoth(blocks, 'end_turn');
  door.answers(answers.whole);
  const whole = (await door.whole('responses', CLAUDE)).json;
  door.answers(answers.stream);
  const { data } = await door.stream('responses', CLAUDE);
  const streamed = data.at(-1)?.['response'];
  for (const response of [whole, streamed]) {
    expect(listAt(response, 'output')).toMatchObject([
      { type: 'message', content: [{ text: 'I look.' }] },
      { type: 'web_search_call' },
      {
        type: 'message',
        content: [
          {
            text: 'Rome is sunny and warm.',
            annotations: [
              { url: 'https://a.example/', start_index: 8, end_index: 13 },
              { url: 'https://b.example/', start_index: 18, end_index: 22 },
            ],
          },
        ],
      },
    ]);
  }
  // Each piece is sent at once, and the end of the text once.
  const told = data.filter(({ output_index }) => output_index === 2);
  expect(told.filter(({ type }) => type === 'response.output_text.delta')).toHaveLength(5);
  expect(told.filter(({ type }) => type === 'response.output_text.done')).toMatchObject([
    { text: 'Rome is sunny and warm.' },
  ]);
});
