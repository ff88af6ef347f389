/** Renders any vendor's answer as OpenAI sends it. */

import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { collect } from '../../../src/conversation/collect.ts';
import type { Part, Signature } from '../../../src/conversation/prompt.ts';
import type { OpenPart, ReplyEvent } from '../../../src/conversation/reply.ts';
import type { RequestContext } from '../../../src/formats/format.ts';
import { unreported } from '../../../src/formats/format.ts';
import { parseRequest } from '../../../src/formats/responses/inbound/parse-request.ts';
import { renderEvents } from '../../../src/formats/responses/inbound/render-events.ts';
import { renderReply } from '../../../src/formats/responses/inbound/render-reply.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { asObject, asObjects, type JsonObject } from '../../../src/lib/json.ts';
import type { Sse } from '../../../src/streams/sse.ts';
import {
  expectValid,
  expectValidWhole,
  lastResponse,
  makeReply,
  parseData,
  REQUEST,
  renderStream,
  throughJson,
  toBytes,
} from './answers.ts';

// A stream and a whole answer end at different times, and both tell when.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

type Detail = Omit<ReplyEvent & { type: 'part-detail' }, 'type' | 'choice' | 'index'>;

/** The events of a part: deltas of its text, and details between or after them. */
function part(
  index: number,
  open: OpenPart,
  pieces: readonly (string | Detail)[],
  more: { signature?: Signature } = {},
): ReplyEvent[] {
  return [
    { type: 'part-start', choice: 0, index, part: open, ...more },
    ...pieces.map(
      (piece): ReplyEvent =>
        typeof piece === 'string'
          ? { type: 'part-delta', choice: 0, index, text: piece }
          : { type: 'part-detail', choice: 0, index, ...piece },
    ),
    { type: 'part-end', choice: 0, index },
  ];
}

const text: OpenPart = { kind: 'text' };
const thinking: OpenPart = { kind: 'thinking' };
const call = (id: string, name = 'look'): OpenPart => ({ kind: 'tool-call', id, name });
const google = (value: string): Signature => ({ origin: 'google', value });
const anthropic = (value: string): Signature => ({ origin: 'anthropic', value });

// Both renderings of an answer are complete at the same time.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => vi.useRealTimers());

test('a response is complete when its answer ends, and never before it was created', () => {
  const ended = (created: number): unknown =>
    answered([
      { type: 'reply-start', id: 'r', model: 'm', created },
      { type: 'choice-end', choice: 0, finish: 'stop' },
      { type: 'reply-end' },
    ])['completed_at'];
  const now = Math.floor(Date.now() / 1000);
  expect(ended(now - 60)).toBe(now);
  expect(ended(now + 60)).toBe(now + 60);
  const cut: ReplyEvent = { type: 'choice-end', choice: 0, finish: 'length' };
  const open = [{ type: 'reply-start', id: 'r', model: 'm' }, cut, { type: 'reply-end' }] as const;
  expect(answered(open)['completed_at']).toBeNull();
});

/** Renders a stream, expects that it is valid and that its items are those of the whole answer, and returns its response. */
function answered(events: readonly ReplyEvent[], asked: RequestContext = REQUEST): JsonObject {
  const said = renderStream(events, asked);
  expectValid(said);
  const whole = renderReply(collect(events), asked);
  expectValidWhole(whole);
  expect(lastResponse(said)).toEqual(throughJson(whole));
  return lastResponse(said);
}

const outputOf = (events: readonly ReplyEvent[], asked = REQUEST): readonly JsonObject[] =>
  asObjects(answered(events, asked)['output']);

/** Parses the answer as the history of the caller's next request. */
function remembered(output: readonly JsonObject[]): readonly Part[] {
  const input = [{ role: 'user', content: 'Hi' }, ...output, { role: 'user', content: 'Go on' }];
  const turn = parseRequest({ model: 'm', input }, unreported).turns.find(({ role }) => role === 'assistant');
  return (turn?.parts ?? []).map(({ formatSpecific: _, ...rest }) => rest);
}

describe('items', () => {
  test('a thought, a text and a call become three items, in their order', () => {
    const output = outputOf(
      makeReply([
        ...part(0, thinking, ['Let me ', 'see.', { signature: anthropic('sig==') }]),
        ...part(1, text, ['Looking', ' it up.']),
        ...part(2, call('toolu_1'), ['{"a"', ':1}']),
      ]),
    );
    expect(output).toMatchObject([
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Let me see.' }],
        encrypted_content: 'anthropic#sig==',
      },
      { type: 'message', role: 'assistant', status: 'completed', content: [{ text: 'Looking it up.' }] },
      { type: 'function_call', call_id: 'toolu_1', name: 'look', arguments: '{"a":1}', status: 'completed' },
    ]);
    expect(output.map(({ id }) => id)).toEqual(['rs_q7abc00', 'msg_q7abc01', 'fc_q7abc02']);
    expect(remembered(output)).toEqual([
      { kind: 'thinking', text: 'Let me see.', signature: anthropic('sig==') },
      { kind: 'text', text: 'Looking it up.' },
      { kind: 'tool-call', id: 'toolu_1', name: 'look', arguments: '{"a":1}' },
    ]);
  });

  test('consecutive texts are one part, a text after a foreign block is another part, and a text after a call another message', () => {
    const foreign: OpenPart = { kind: 'opaque', format: 'messages', value: { type: 'server_tool_use' } };
    const output = outputOf(
      makeReply([
        ...part(0, text, ['a']),
        ...part(1, text, ['b']),
        ...part(2, foreign, []),
        ...part(3, text, ['c']),
        ...part(4, { kind: 'refusal' }, ['no']),
        ...part(5, call('c1'), ['{}']),
        ...part(6, text, ['c']),
      ]),
    );
    expect(output).toMatchObject([
      { type: 'message', content: [{ text: 'ab' }, { text: 'c' }, { refusal: 'no' }] },
      { type: 'function_call', arguments: '{}' },
      { type: 'message', content: [{ text: 'c' }] },
    ]);
  });

  test('custom calls have free text, which may be empty', () => {
    const custom: OpenPart = { kind: 'tool-call', id: 'c1', name: 'shell', custom: true };
    const other: OpenPart = { ...custom, id: 'c2' };
    expect(outputOf(makeReply([...part(0, custom, ['ls', ' -l']), ...part(1, other, [])]))).toMatchObject([
      { type: 'custom_tool_call', id: 'ctc_q7abc00', call_id: 'c1', name: 'shell', input: 'ls -l' },
      { type: 'custom_tool_call', call_id: 'c2', input: '' },
    ]);
  });

  test('blocks of other formats are additional fields, and end no item', () => {
    const foreign: OpenPart = { kind: 'opaque', format: 'messages', value: { type: 'server_tool_use' } };
    const response = answered(
      makeReply([...part(0, call('c1'), ['{"a":1}']), ...part(1, foreign, []), ...part(2, text, ['Hi'])]),
    );
    expect(asObjects(response['output']).map(({ type }) => type)).toEqual(['function_call', 'message']);
    expect(response['provider_specific_fields']).toEqual({ messages: [{ type: 'server_tool_use' }] });
  });

  test('calls without an id get one, and a repeated id is replaced', () => {
    const opaque = (): OpenPart => ({
      kind: 'opaque',
      format: 'responses',
      value: { type: 'program', id: 'cm_1' },
    });
    const output = outputOf(
      makeReply([
        ...part(0, call(''), ['{}']),
        ...part(1, call(''), ['{}']),
        ...part(2, opaque(), []),
        ...part(3, opaque(), []),
      ]),
    );
    expect(output.map((item) => item['call_id'])).toEqual([
      'call_q7abc00',
      'call_q7abc01',
      undefined,
      undefined,
    ]);
    expect(output.map(({ id }) => id)).toEqual(['fc_q7abc00', 'fc_q7abc01', 'cm_1', 'item_q7abc03']);
  });

  test('an empty answer is valid', () => {
    expect(outputOf(makeReply([]))).toEqual([]);
  });
});

describe('signatures of other vendors', () => {
  test('on a call come before it, and return to it', () => {
    const output = outputOf(
      makeReply([
        ...part(0, call('c1'), ['{}'], { signature: google('AbC=') }),
        ...part(1, call('c2'), ['{}']),
      ]),
    );
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [], encrypted_content: 'google#c.AbC=' },
      { type: 'function_call', call_id: 'c1' },
      { type: 'function_call', call_id: 'c2' },
    ]);
    expect(remembered(output)).toEqual([
      { kind: 'tool-call', id: 'c1', name: 'look', arguments: '{}', signature: google('AbC=') },
      { kind: 'tool-call', id: 'c2', name: 'look', arguments: '{}' },
    ]);
  });

  describe('on a text', () => {
    const including = { ...REQUEST, body: { ...REQUEST.body, include: ['reasoning.encrypted_content'] } };
    const signed = { kind: 'text', text: 'Hi', signature: google('S') };
    const late = [{ type: 'part-start', choice: 0, index: 0, part: text, mayBeSigned: true }] as const;
    const [, ...rest] = part(0, text, ['Hi', { signature: google('S') }]);

    test('have no item if the caller does not include any: the answer is the last item', () => {
      for (const events of [part(0, text, ['Hi'], { signature: google('S') }), [...late, ...rest]]) {
        const output = outputOf(makeReply(events));
        expect(output.map(({ type }) => type)).toEqual(['message']);
        expect(remembered(output)).toEqual([{ kind: 'text', text: 'Hi' }]);
      }
    });

    test.each([
      ['known before the text', part(0, text, ['Hi'], { signature: google('S') })],
      ['known after the text', [...late, ...rest]],
    ])('stand before it if the caller includes them, %s', (_, events) => {
      const output = outputOf(makeReply(events), including);
      expect(output).toMatchObject([
        { type: 'reasoning', summary: [], encrypted_content: 'google#m.S' },
        { type: 'message', content: [{ text: 'Hi' }] },
      ]);
      expect(remembered(output)).toEqual([signed]);
    });

    test('are in the item of the thoughts before it, if nobody has signed those', () => {
      const shifted = [...late, ...rest].map((event) => ({ ...event, index: 1 }));
      const output = outputOf(makeReply([...part(0, thinking, ['Hm.']), ...shifted]), including);
      expect(output).toMatchObject([
        { type: 'reasoning', summary: [{ text: 'Hm.' }], encrypted_content: 'google#m.S' },
        { type: 'message', content: [{ text: 'Hi' }] },
      ]);
      expect(remembered(output)).toEqual([{ kind: 'thinking', text: 'Hm.' }, signed]);
    });

    test('of two messages stay apart', () => {
      const second = part(1, text, ['there'], { signature: google('T') });
      const output = outputOf(makeReply([...late, ...rest, ...second]), including);
      expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'reasoning', 'message']);
      expect(remembered(output)).toEqual([signed, { kind: 'text', text: 'there', signature: google('T') }]);
    });

    test('that do not come leave an item that says nothing, in the stream', () => {
      const said = renderStream(makeReply([...late, ...part(0, text, ['Hi']).slice(1)]), including);
      expectValid(said);
      const output = asObjects(lastResponse(said)['output']);
      expect(output).toMatchObject([{ type: 'reasoning', encrypted_content: 'none#' }, { type: 'message' }]);
      expect(remembered(output)).toEqual([{ kind: 'text', text: 'Hi' }]);
    });
  });

  test('on a call come after it if they come late', () => {
    const said = renderStream(makeReply(part(0, call('c1'), ['{}', { signature: google('late') }])));
    expectValid(said);
    const output = asObjects(lastResponse(said)['output']);
    expect(output.map(({ type }) => type)).toEqual(['function_call', 'reasoning']);
    expect(remembered(output)).toMatchObject([{ kind: 'tool-call', signature: google('late') }]);
  });

  test('that are missing are marked as missing at the end of the item, so clients send back unsigned thoughts, too', () => {
    const said = renderStream(makeReply([...part(0, thinking, ['Hm.']), ...part(1, text, ['Ah.'])]));
    const items = said.map((event) => asObject(parseData(event)['item']) ?? {});
    const thoughts = items.filter(({ type }) => type === 'reasoning');
    expect(thoughts.map((item) => item['encrypted_content'])).toEqual([undefined, 'none#']);
    expect(remembered(asObjects(lastResponse(said)['output']))).toEqual([
      { kind: 'thinking', text: 'Hm.' },
      { kind: 'text', text: 'Ah.' },
    ]);
  });

  test('on redacted thinking differ from those on a thought', () => {
    const output = outputOf(
      makeReply([
        ...part(0, thinking, [{ redacted: anthropic('xyz') }]),
        ...part(1, thinking, [{ signature: anthropic('sig') }]),
      ]),
    );
    expect(output.map((item) => item['encrypted_content'])).toEqual(['anthropic#r.xyz', 'anthropic#sig']);
    expect(remembered(output)).toEqual([
      { kind: 'thinking', text: '', redacted: anthropic('xyz') },
      { kind: 'thinking', text: '', signature: anthropic('sig') },
    ]);
  });

  test('stay with their thoughts', () => {
    const output = outputOf(
      makeReply([
        ...part(0, thinking, ['a', { signature: anthropic('1') }]),
        ...part(1, thinking, ['b', { signature: anthropic('2') }]),
      ]),
    );
    expect(remembered(output)).toEqual([
      { kind: 'thinking', text: 'a', signature: anthropic('1') },
      { kind: 'thinking', text: 'b', signature: anthropic('2') },
    ]);
  });
});

describe('citations', () => {
  const url = 'https://a.example/';

  test('with offsets come at once, and those of a whole text at its end', () => {
    const events = makeReply(
      part(0, text, [
        'Hello',
        { citation: { url, title: 'A' } },
        { citation: { url, start: 0, end: 5 } },
        ' world',
      ]),
    );
    expect(outputOf(events)).toMatchObject([
      {
        content: [
          {
            annotations: [
              { type: 'url_citation', url, title: '', start_index: 0, end_index: 5 },
              { type: 'url_citation', url, title: 'A', start_index: 0, end_index: 11 },
            ],
          },
        ],
      },
    ]);
    const steps = renderStream(events).map((event) => event.event);
    expect(steps.indexOf('response.output_text.annotation.added')).toBeLessThan(
      steps.lastIndexOf('response.output_text.delta'),
    );
  });

  test('that come when their text has ended are in the response, and in its item if that is not done', () => {
    const late = (index: number, place = {}): ReplyEvent => ({
      type: 'part-detail',
      choice: 0,
      index,
      citation: { url, ...place },
    });
    const events = makeReply([
      ...part(0, text, ['one ']),
      ...part(1, text, ['two']),
      ...part(2, call('c1'), ['{}']),
      ...part(3, text, ['three']),
      late(0, { start: 0, end: 3 }),
      late(1),
      late(3, { start: 1, end: 2 }),
    ]);
    const annotations = (...places: [number, number][]) => [
      { annotations: places.map(([start_index, end_index]) => ({ url, start_index, end_index })) },
    ];
    expect(outputOf(events)).toMatchObject([
      { content: annotations([0, 3], [4, 7]) },
      {},
      { content: annotations([1, 2]) },
    ]);
    const said = renderStream(events).map(parseData);
    const done = said.filter(({ type }) => type === 'response.output_item.done');
    expect(done).toMatchObject([
      { item: { content: [{ annotations: [] }] } },
      {},
      { item: { content: annotations([1, 2]) } },
    ]);
    const added = said.filter(({ type }) => type === 'response.output_text.annotation.added');
    expect(added).toMatchObject([{ output_index: 2, annotation_index: 0 }]);
  });

  test('without a URL are additional fields', () => {
    const fields = { type: 'char_location', cited_text: 'x', document_index: 0 };
    const citation = { citedText: 'x', formatSpecific: { format: 'messages', fields } } as const;
    const response = answered(makeReply(part(0, text, ['x', { citation }])));
    expect(response['output']).toMatchObject([{ content: [{ annotations: [] }] }]);
    expect(response['provider_specific_fields']).toEqual({ citations: [fields] });
  });
});

describe('log probabilities', () => {
  const asked: RequestContext = { ...REQUEST, prompt: { ...REQUEST.prompt, logprobs: true } };
  const token = (word: string) => ({ token: word, logprob: -0.25, bytes: [...Buffer.from(word)] });
  const scored = (word: string): ReplyEvent => ({ type: 'logprobs', choice: 0, tokens: [token(word)] });
  const [start, h, i, end] = part(0, text, ['H', 'i']);

  test.each([
    ['after', [start, h, scored('H'), i, scored('i'), end]],
    ['before', [start, scored('H'), h, scored('i'), i, end]],
  ])('that come %s their text are sent with it', (_, parts) => {
    const events = makeReply(parts.flatMap((event) => event ?? []));
    const deltas = renderStream(events, asked).flatMap((event) =>
      event.event === 'response.output_text.delta' ? [parseData(event)] : [],
    );
    const rendered = (word: string) => ({ ...token(word), top_logprobs: [] });
    expect(deltas.map(({ delta, logprobs }) => [delta, logprobs])).toEqual([
      ['H', [rendered('H')]],
      ['i', [rendered('i')]],
    ]);
    expect(answered(events, asked)['output']).toMatchObject([
      { content: [{ logprobs: [rendered('H'), rendered('i')] }] },
    ]);
  });

  test('are distributed to the texts of a whole answer', () => {
    const two = makeReply([
      ...[start, h, scored('H'), end].flatMap((event) => event ?? []),
      ...part(1, { kind: 'opaque', format: 'messages', value: {} }, []),
      ...part(2, text, ['yo']).slice(0, 2),
      scored('yo'),
      { type: 'part-end', choice: 0, index: 2 },
    ]);
    expect(answered(two, asked)['output']).toMatchObject([
      { content: [{ logprobs: [{ token: 'H' }] }, { logprobs: [{ token: 'yo' }] }] },
    ]);
  });

  test('of parts of characters, and of what no text shows, are all there', () => {
    const half = (name: string, ...bytes: number[]) => ({ token: name, logprob: -0.25, bytes });
    const wave = [half(String.raw`\xf0\x9f`, 0xf0, 0x9f), half(String.raw`\x91\x8b`, 0x91, 0x8b)];
    const last = [token('yo'), half('<|end|>')];
    const two = makeReply([
      ...part(0, text, ['\u{1f44b}']).slice(0, 2),
      { type: 'logprobs', choice: 0, tokens: wave },
      { type: 'part-end', choice: 0, index: 0 },
      ...part(1, { kind: 'opaque', format: 'messages', value: {} }, []),
      ...part(2, text, ['yo']).slice(0, 2),
      { type: 'logprobs', choice: 0, tokens: last },
      { type: 'part-end', choice: 0, index: 2 },
    ]);
    expect(answered(two, asked)['output']).toMatchObject([
      { content: [{ logprobs: wave }, { logprobs: last }] },
    ]);
  });
});

describe('the end', () => {
  const refusal = part(0, { kind: 'refusal' }, ['No.']);
  const hello = part(0, text, ['Hello']);

  test.each<[ReplyEvent & { type: 'choice-end' }, ReplyEvent[], string, string | undefined]>([
    [{ type: 'choice-end', choice: 0, finish: 'stop' }, hello, 'completed', undefined],
    [{ type: 'choice-end', choice: 0, finish: 'tool-calls' }, hello, 'completed', undefined],
    [{ type: 'choice-end', choice: 0, finish: 'stop-sequence' }, hello, 'completed', undefined],
    [{ type: 'choice-end', choice: 0, finish: 'pause' }, hello, 'completed', undefined],
    [{ type: 'choice-end', choice: 0, finish: 'other' }, hello, 'completed', undefined],
    [{ type: 'choice-end', choice: 0, finish: 'length' }, hello, 'incomplete', 'max_output_tokens'],
    [{ type: 'choice-end', choice: 0, finish: 'context-length' }, hello, 'incomplete', 'max_output_tokens'],
    [{ type: 'choice-end', choice: 0, finish: 'content-filter' }, hello, 'incomplete', 'content_filter'],
    [{ type: 'choice-end', choice: 0, finish: 'malformed-call' }, hello, 'incomplete', 'content_filter'],
    [{ type: 'choice-end', choice: 0, finish: 'refusal' }, hello, 'incomplete', 'content_filter'],
    [{ type: 'choice-end', choice: 0, finish: 'refusal' }, refusal, 'completed', undefined],
  ])('%j', (end, parts, status, reason) => {
    const response = answered(makeReply(parts, end));
    expect(response['status']).toBe(status);
    expect(asObject(response['incomplete_details'])?.['reason']).toBe(reason);
    expect(asObjects(response['output'])[0]?.['status']).toBe(status);
  });

  test('an item before the last is complete', () => {
    const response = answered(makeReply([...hello, ...part(1, call('c1'), ['{"a":'])], { finish: 'length' }));
    expect(asObjects(response['output']).map(({ status }) => status)).toEqual(['completed', 'incomplete']);
  });

  test("the vendor's own fields are added, and never replace OpenAI's", () => {
    const response = answered(
      makeReply(hello, {
        finish: 'malformed-call',
        native: 'MALFORMED_FUNCTION_CALL',
        explanation: 'Bad call.',
        formatSpecific: {
          format: 'generate-content',
          fields: { safetyRatings: [1], status: 'odd', tools: 'odd' },
        },
        unknownFields: { brandNew: true, id: 'odd' },
      }),
    );
    expect(response).toMatchObject({
      native_finish_reason: 'MALFORMED_FUNCTION_CALL',
      finish_explanation: 'Bad call.',
      safetyRatings: [1],
      brandNew: true,
      status: 'incomplete',
      tools: [],
      id: 'resp_01XyZ',
    });
  });

  test.each([
    ['no other fields', {}],
    ['fields of its own', { unknownFields: { brandNew: true, tools: 'odd', id: 'odd' } }],
  ])('no event has a field twice, if the vendor sends %s', (_, end) => {
    const events = renderStream(makeReply(hello, end));
    expect(events.filter(({ data }) => data.includes('"response":'))).toHaveLength(3);
    for (const { data } of events) expect(JSON.stringify(JSON.parse(data))).toBe(data);
  });

  test('has usage even if the vendor sends none', () => {
    const response = answered(makeReply([]).filter(({ type }) => type !== 'usage'));
    expect(response['usage']).toMatchObject({ input_tokens: 0, output_tokens: 0, total_tokens: 0 });
  });

  test('has all figures of the usage, and their sum', () => {
    const said = answered([
      ...makeReply([]).slice(0, -2),
      { type: 'usage', usage: { input: 100, cacheRead: 40, output: 30, reasoning: 20 } },
      ...makeReply([]).slice(-2),
    ]);
    expect(said['usage']).toEqual({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 40, cache_write_tokens: 0 },
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 20 },
      total_tokens: 130,
    });
  });
});

describe('the response', () => {
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }];
  const body: JsonObject = {
    model: 'anthropic/claude',
    input: 'Hi',
    instructions: 'Be brief.',
    tools,
    tool_choice: 'required',
    temperature: 0.2,
    top_p: null,
    text: { verbosity: 'low' },
    reasoning: { effort: 'high' },
    parallel_tool_calls: false,
    metadata: { a: 'b' },
    max_output_tokens: 99,
    store: true,
    service_tier: 'flex',
  };

  test('repeats the settings of the request, with defaults for the others', () => {
    const response = answered(makeReply([]), { ...REQUEST, body });
    expect(response).toMatchObject({
      object: 'response',
      created_at: REQUEST.created,
      model: 'some-model',
      instructions: 'Be brief.',
      tools: [{ ...tools[0], description: null, strict: false }],
      tool_choice: 'required',
      temperature: 0.2,
      top_p: 1,
      text: { format: { type: 'text' }, verbosity: 'low' },
      reasoning: { effort: 'high', summary: null },
      parallel_tool_calls: false,
      metadata: { a: 'b' },
      max_output_tokens: 99,
      store: true,
      service_tier: 'default',
      truncation: 'disabled',
    });
    expect(answered(makeReply([]))['store']).toBe(false);
  });

  // As recorded of OpenAI. Clients in PHP and Rust cannot read an answer without one of these fields.
  test.each<[JsonObject, JsonObject]>([
    [{ type: 'web_search' }, { search_context_size: 'medium', user_location: null }],
    [
      { type: 'web_search_preview', search_context_size: null, user_location: { city: 'Bonn' } },
      {
        search_context_size: 'medium',
        user_location: { type: 'approximate', city: 'Bonn', country: null, region: null, timezone: null },
      },
    ],
    [{ type: 'tool_search' }, { description: null, parameters: null }],
    [{ type: 'custom', name: 'run' }, { format: { type: 'text' } }],
    [
      { type: 'namespace', name: 'crm', description: 'D', tools },
      { tools: [{ ...tools[0], description: null, strict: false }] },
    ],
    [{ type: 'shell' }, {}],
  ])('repeats a tool with all fields that OpenAI writes: %j', (tool, fields) => {
    const response = answered(makeReply([]), { ...REQUEST, body: { ...body, tools: [tool] } });
    expect(response['tools']).toEqual([{ ...tool, ...fields }]);
  });

  // As recorded of OpenAI. The validators of openai-java and openai-go miss either field.
  test.each<[JsonObject, JsonObject]>([
    [{}, { description: null, strict: false }],
    [{ strict: true }, { description: null, strict: true }],
    [
      { description: 'D', strict: null },
      { description: 'D', strict: false },
    ],
  ])('repeats the schema of the answer with all fields: %j', (more, fields) => {
    const format = { type: 'json_schema', name: 'a', schema: { type: 'object' } };
    const text = { format: { ...format, ...more } };
    const response = answered(makeReply([]), { ...REQUEST, body: { ...body, text } });
    expect(response['text']).toEqual({ format: { ...format, ...fields }, verbosity: 'medium' });
    const { name, schema, type } = format;
    const wrapped = { format: { type, json_schema: { name, schema, ...more } } };
    const same = answered(makeReply([]), { ...REQUEST, body: { ...body, text: wrapped } });
    expect(same['text']).toEqual(response['text']);
  });

  test('repeats a tool in the shape of chat-completions in its own', () => {
    const wrapped = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
    const response = answered(makeReply([]), { ...REQUEST, body: { ...body, tools: [wrapped] } });
    expect(response['tools']).toEqual([
      { type: 'function', name: 'f', parameters: { type: 'object' }, description: null, strict: false },
    ]);
  });

  test('begins empty and in progress', () => {
    const [created, inProgress] = renderStream(makeReply([]), { ...REQUEST, body }).map(parseData);
    expect(created?.['response']).toEqual(inProgress?.['response']);
    expect(created?.['response']).toMatchObject({
      status: 'in_progress',
      output: [],
      usage: null,
      service_tier: 'flex',
    });
  });

  test('is the first of several answers', () => {
    const other = part(0, text, ['second']).map((event) => ({ ...event, choice: 1 }));
    const events = makeReply([...part(0, text, ['first']), ...other]);
    events.splice(-1, 0, { type: 'choice-end', choice: 1, finish: 'length' });
    expect(outputOf(events)).toMatchObject([{ status: 'completed', content: [{ text: 'first' }] }]);
  });

  test('takes its id and model from the request if the vendor sends none', () => {
    const [, ...rest] = makeReply([]);
    const response = answered([{ type: 'reply-start', id: '', model: '' }, ...rest]);
    expect([response['id'], response['model']]).toEqual(['resp_q7abc', 'a-model']);
  });
});

describe('a failure', () => {
  const failure = new GatewayError('rate-limited', 'Slow down.');
  const failedAfter = (events: readonly ReplyEvent[]): Sse[] => {
    const renderer = renderEvents(REQUEST);
    const said: Sse[] = [];
    const out = { enqueue: (event: Sse) => void said.push(event) };
    for (const event of events) renderer.transform(event, out);
    renderer.fail(failure, out);
    return said;
  };
  const begun = makeReply([...part(0, text, ['One.']), ...part(1, call('c1'), ['{"a"'])]).slice(0, -5);

  test.each([
    ['before anything', []],
    ['after the start', makeReply([]).slice(0, 1)],
    ['within an item', begun],
  ])('%s is rendered, and ends the stream', (_, events) => {
    const said = failedAfter(events);
    expectValid(said);
    expect(said.slice(-2).map(({ event }) => event)).toEqual(['error', 'response.failed']);
    expect(parseData(said.at(-2))).toMatchObject({
      error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Slow down.', param: null },
      code: 'rate_limit_exceeded',
      message: 'Slow down.',
    });
    expect(lastResponse(said)).toMatchObject({
      status: 'failed',
      error: { code: 'rate_limit_exceeded', message: 'Slow down.' },
    });
  });

  test('after the end is ignored', () => {
    const whole = makeReply(part(0, text, ['One.']));
    expect(failedAfter(whole)).toEqual(renderStream(whole));
  });

  test('makes the SDK throw', async () => {
    const seen: string[] = [];
    const stream = await clientOf(failedAfter(begun)).responses.create({
      model: 'm',
      input: 'Hi',
      stream: true,
    });
    const reading = (async () => {
      for await (const event of stream) seen.push(event.type);
    })();
    await expect(reading).rejects.toThrow(APIError);
    await expect(reading).rejects.toMatchObject({ code: 'rate_limit_exceeded', type: 'rate_limit_error' });
    expect(seen).toContain('response.output_text.delta');
  });
});

describe("OpenAI's SDK", () => {
  const events = makeReply([
    ...part(0, thinking, ['Hm.', { signature: anthropic('sig') }]),
    ...part(1, text, ['Hello ', 'world']),
    ...part(2, call('c1'), ['{"a"', ':1}']),
  ]);

  test('assembles a stream into the response at its end', async () => {
    const stream = clientOf(renderStream(events)).responses.stream({ model: 'm', input: 'Hi' });
    const response = await stream.finalResponse();
    expect(response.output_text).toBe('Hello world');
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
    expect(response.usage?.total_tokens).toBe(15);
  });

  test('reads a whole answer', async () => {
    const client = new OpenAI({
      apiKey: 'k',
      fetch: async () => Response.json(renderReply(collect(events), REQUEST)),
    });
    const response = await client.responses.create({ model: 'm', input: 'Hi' });
    expect([response.output_text, response.status]).toEqual(['Hello world', 'completed']);
  });

  test('finds every field that its types require', () => {
    expect(answered(events)).toEqual(expect.objectContaining(ALWAYS));
  });
});

type Sure<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];

const there: unknown = expect.toSatisfy((value) => value !== undefined);

/** Except for the field that the SDK adds itself. */
const ALWAYS: Record<Exclude<Sure<OpenAI.Responses.Response>, 'output_text'>, unknown> = {
  access_programs: there,
  created_at: there,
  error: there,
  id: there,
  incomplete_details: there,
  instructions: there,
  metadata: there,
  model: there,
  object: there,
  output: there,
  parallel_tool_calls: there,
  temperature: there,
  tool_choice: there,
  tools: there,
  top_p: there,
};

/** A client that gets these events for every request. */
function clientOf(events: readonly Sse[]): OpenAI {
  return new OpenAI({
    apiKey: 'k',
    maxRetries: 0,
    fetch: async () =>
      new Response(Buffer.from(toBytes(events)), { headers: { 'content-type': 'text/event-stream' } }),
  });
}
