/** Parses answers of OpenAI, and of other services that speak its format. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collect } from '../../../src/conversation/collect.ts';
import type { Tool } from '../../../src/conversation/prompt.ts';
import type { PromptOutline } from '../../../src/conversation/prompt-outline.ts';
import type { ReplyEvent } from '../../../src/conversation/reply.ts';
import { formats } from '../../../src/formats/formats.ts';
import { ITEM_EVENTS } from '../../../src/formats/responses/outbound/item-events.ts';
import { safeName } from '../../../src/formats/responses/outbound/tool-names.ts';
import { keepRoundTrip } from '../../../src/formats/responses/wire/origin.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { type Json, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { run } from '../../../src/streams/step.ts';
import { PERMISSIVE, rendered } from '../../support/meaning.ts';
import { expectInOrder, makeResponse, makeStream, PROMPT, parseObjects, parseUntilError } from './answers.ts';

const added = (output_index: number, item: JsonObject): JsonObject => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (output_index: number, item: JsonObject): JsonObject => ({
  type: 'response.output_item.done',
  output_index,
  item,
});
const piece = (what: string, output_index: number, delta: string, more: JsonObject = {}): JsonObject => ({
  type: `response.${what}.delta`,
  output_index,
  delta,
  ...more,
});
const message = (text: string, more: JsonObject = {}): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
});

const partsOf = (events: readonly ReplyEvent[]) => collect(events).choices[0]?.parts ?? [];
const shown = (events: readonly ReplyEvent[]) =>
  partsOf(events).map((part) => {
    if (part.kind === 'tool-call') return [part.kind, part.name, part.arguments];
    return 'text' in part ? [part.kind, part.text] : [part.kind];
  });
const endOf = (events: readonly ReplyEvent[]) => collect(events).choices[0]?.end;

describe('services that leave out events', () => {
  test('only the response at the end has the items', () => {
    const events = parseObjects(makeStream([], { output: [message('Hello')] }));
    expectInOrder(events);
    expect(shown(events)).toEqual([['text', 'Hello']]);
  });

  test('the event that ends a response decides if the status is missing or wrong', () => {
    const ended = (type: string, response: JsonObject) =>
      endOf(parseObjects([{ type, response: { id: 'resp_1', output: [message('Hello')], ...response } }]))
        ?.finish;
    const details = { incomplete_details: { reason: 'max_output_tokens' } };
    expect(ended('response.incomplete', details)).toBe('length');
    expect(ended('response.completed', { ...details, status: 'incomplete' })).toBe('length');
    expect(ended('response.completed', { incomplete_details: null, status: 'incomplete' })).toBe('stop');
    expect(ended('response.completed', {})).toBe('stop');
    expect(ended('response.incomplete', {})).toBe('other');
  });

  test('items have no events between added and done', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{"a":1}' };
    const events = parseObjects(
      makeStream([
        added(0, message('', { content: [] })),
        done(0, message('Hello')),
        added(1, { ...call, arguments: '' }),
        done(1, call),
      ]),
    );
    expectInOrder(events);
    expect(shown(events)).toEqual([
      ['text', 'Hello'],
      ['tool-call', 'look', '{"a":1}'],
    ]);
    expect(endOf(events)?.finish).toBe('tool-calls');
  });

  test("only the done event has a call's arguments", () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '' };
    const whole = { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"a":1}' };
    const events = parseObjects(
      makeStream([added(0, call), whole, done(0, { ...call, arguments: '{"a":1}' })]),
    );
    expect(shown(events)).toEqual([['tool-call', 'look', '{"a":1}']]);
  });

  test('only the done event has the last piece', () => {
    const events = parseObjects(
      makeStream([
        added(0, message('', { content: [] })),
        piece('output_text', 0, 'Hel'),
        done(0, message('Hello')),
      ]),
    );
    expect(shown(events)).toEqual([['text', 'Hello']]);
  });

  test('texts belong to items that were never added', () => {
    const events = parseObjects(
      makeStream([
        piece('reasoning_summary_text', 0, 'Hm.'),
        done(0, { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] }),
        piece('output_text', 1, 'Hi'),
      ]),
    );
    expectInOrder(events);
    expect(shown(events)).toEqual([
      ['thinking', 'Hm.'],
      ['text', 'Hi'],
    ]);
  });

  test.each(['never', 'late'])('deltas belong to a call that was added %s', (when) => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{"a":1}' };
    const [first, rest] = ['{"a"', ':1}'].map((text) => piece('function_call_arguments', 0, text));
    const coming = when === 'late' ? [added(0, { ...call, arguments: '' })] : [];
    const events = parseObjects(makeStream([first ?? {}, ...coming, rest ?? {}, done(0, call)]));
    expectInOrder(events);
    expect(shown(events)).toEqual([['tool-call', 'look', '{"a":1}']]);
    expect(endOf(events)?.finish).toBe('tool-calls');
  });

  test('items are not done when the response is', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look' };
    const events = parseObjects(
      makeStream([added(0, { ...call, arguments: '' }), piece('function_call_arguments', 0, '{"a"')], {
        output: [{ ...call, arguments: '{"a":1}' }],
      }),
    );
    expectInOrder(events);
    expect(shown(events)).toEqual([['tool-call', 'look', '{"a":1}']]);
  });

  test('no created event, no event names, no numbers, and `[DONE]` at the end', () => {
    const said = [added(0, message('')), piece('output_text', 0, 'Hi'), done(0, message('Hi'))];
    const { events, error } = parseUntilError([
      ...said.map((value) => JSON.stringify(value)),
      JSON.stringify({ type: 'response.completed', response: makeResponse() }),
      '[DONE]',
    ]);
    expect(error).toBeUndefined();
    expectInOrder(events);
    expect(shown(events)).toEqual([['text', 'Hi']]);
  });

  describe('items without a number', () => {
    const without = (event: JsonObject, item_id?: string): JsonObject => {
      const { output_index: _, ...rest } = event;
      return { ...rest, ...(item_id !== undefined && { item_id }) };
    };
    const thought = (text: string): JsonObject => ({
      id: 'rs_1',
      summary: [],
      type: 'reasoning',
      content: text === '' ? [] : [{ type: 'reasoning_text', text }],
      encrypted_content: '',
    });
    const call = (name: string, args: string): JsonObject => ({
      type: 'function_call',
      call_id: `fc_${name}`,
      name,
      arguments: args,
    });
    const whole = [
      ['thinking', 'Hm, well.'],
      ['text', 'Hello'],
      ['tool-call', 'look', '{"a":1}'],
      ['tool-call', 'find', '{"b":2}'],
    ];

    test('all are done at the end, as from llama.cpp (ggml-org/llama.cpp#20607)', () => {
      const events = parseObjects(
        makeStream([
          without(added(0, thought(''))),
          without(piece('reasoning_text', 0, 'Hm, '), 'rs_1'),
          without(piece('reasoning_text', 0, 'well.'), 'rs_1'),
          without(added(1, message('', { content: [] }))),
          without(piece('output_text', 1, 'Hello'), 'msg_1'),
          without(added(2, call('look', ''))),
          without(piece('function_call_arguments', 2, '{"a":1}'), 'fc_look'),
          without(added(3, call('find', ''))),
          without(piece('function_call_arguments', 3, '{"b":2}'), 'fc_find'),
          ...[thought('Hm, well.'), message('Hello'), call('look', '{"a":1}'), call('find', '{"b":2}')].map(
            (item) => without(done(0, item)),
          ),
        ]),
      );
      expectInOrder(events);
      expect(shown(events)).toEqual(whole);
    });

    test('only the deltas have none', () => {
      const events = parseObjects(
        makeStream([
          added(0, message('', { content: [] })),
          without(piece('output_text', 0, 'Hello')),
          done(0, message('Hello')),
          added(1, call('look', '')),
          without(piece('function_call_arguments', 1, '{"a":1}')),
          done(1, call('look', '{"a":1}')),
        ]),
      );
      expectInOrder(events);
      expect(shown(events)).toEqual(whole.slice(1, 3));
    });

    test('each is done before the next, and has no id either', () => {
      const items = [
        thought('Hm, well.'),
        message('Hello'),
        call('look', '{"a":1}'),
        call('find', '{"b":2}'),
      ];
      const events = parseObjects(
        makeStream(
          items.flatMap((item, at) => {
            const { id: _, call_id: __, ...nameless } = item;
            const isCall = at > 1;
            return [
              without(added(0, isCall ? { ...item, arguments: '' } : { ...nameless, content: [] })),
              without(done(0, isCall ? item : nameless)),
            ];
          }),
        ),
      );
      expectInOrder(events);
      expect(shown(events)).toEqual(whole);
    });
  });

  test('an empty address is none', () => {
    const annotation = { type: 'url_citation', url: '', title: 'a.docx', start_index: 0, end_index: 2 };
    const whole = message('Hi', {
      content: [{ type: 'output_text', text: 'Hi', annotations: [annotation] }],
    });
    const [part] = partsOf(parseObjects(makeStream([added(0, message('')), done(0, whole)])));
    const fields = { format: 'responses', fields: annotation };
    expect(part).toMatchObject({
      citations: [{ title: 'a.docx', start: 0, end: 2, formatSpecific: fields }],
    });
    expect(part).not.toHaveProperty('citations.0.url');
  });

  test('only the done event has the citations', () => {
    const annotations = [
      { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 },
      { type: 'file_citation', file_id: 'file-1', filename: 'a.txt', index: 2 },
    ];
    const whole = message('Hi', { content: [{ type: 'output_text', text: 'Hi', annotations }] });
    const first = {
      type: 'response.output_text.annotation.added',
      output_index: 0,
      annotation: annotations[0],
    };
    const said = [added(0, message('')), piece('output_text', 0, 'Hi'), first, done(0, whole)];
    const [part] = partsOf(parseObjects(makeStream(said)));
    expect(part).toMatchObject({
      citations: [
        { url: 'https://a.example', title: 'A', start: 0, end: 2 },
        { title: 'a.txt', formatSpecific: { fields: annotations[1] } },
      ],
    });
    expect(part?.kind === 'text' && part.citations).toHaveLength(2);
  });

  test("a message's content indexes count on from the item before", () => {
    const said = [
      added(0, message('', { content: [] })),
      {
        type: 'response.content_part.added',
        output_index: 0,
        content_index: 1,
        part: { type: 'output_text' },
      },
      piece('output_text', 0, 'Hello', { content_index: 1 }),
      done(0, message('Hello')),
    ];
    expect(shown(parseObjects(makeStream(said)))).toEqual([['text', 'Hello']]);
  });
});

test('thoughts also stream under their event names in Open Responses', () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [] };
  const events = parseObjects(
    makeStream([
      added(0, thought),
      piece('reasoning', 0, 'Hm, ', { content_index: 0 }),
      piece('reasoning', 0, 'well.', { content_index: 0 }),
      { type: 'response.reasoning.done', output_index: 0, content_index: 0, text: 'Hm, well.' },
      done(0, { ...thought, content: [{ type: 'reasoning_text', text: 'Hm, well.' }] }),
    ]),
  );
  expect(shown(events)).toEqual([['thinking', 'Hm, well.']]);
  const pieces = events.filter(({ type }) => type === 'part-delta');
  expect(pieces).toMatchObject([{ text: 'Hm, ' }, { text: 'well.' }]);
});

describe('interleaved items', () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [] };

  test('reasoning that ends after the text does not hold the text back', () => {
    const whole = {
      ...thought,
      content: [{ type: 'reasoning_text', text: 'Hm.' }],
      encrypted_content: 'gAAA',
    };
    const said = makeStream([
      added(0, thought),
      piece('reasoning_text', 0, 'Hm.', { content_index: 0 }),
      added(1, message('')),
      piece('output_text', 1, 'Hi'),
      { type: 'response.reasoning_text.done', output_index: 0, content_index: 0, text: 'Hm.' },
      done(1, message('Hi')),
      done(0, whole),
    ]);
    const events = parseObjects(said);
    expectInOrder(events);
    expect(shown(events)).toEqual([
      ['thinking', 'Hm.'],
      ['text', 'Hi'],
      ['thinking', ''],
    ]);
    expect(partsOf(events)[2]?.signature).toEqual({ origin: 'openai', value: 'gAAA' });
    // The text is passed on as it comes.
    const { events: early } = parseUntilError(said.slice(0, 5).map((value) => JSON.stringify(value)));
    expect(early.at(-1)).toEqual({ type: 'part-delta', choice: 0, index: 1, text: 'Hi' });
  });

  test('thoughts that come during the text are not lost', () => {
    const events = parseObjects(
      makeStream([
        added(0, thought),
        piece('reasoning_text', 0, 'One', { content_index: 0 }),
        added(1, message('')),
        piece('reasoning_text', 0, ', two', { content_index: 0 }),
        piece('output_text', 1, 'Hi'),
        done(1, message('Hi')),
        done(0, { ...thought, content: [{ type: 'reasoning_text', text: 'One, two' }] }),
      ]),
    );
    expectInOrder(events);
    expect(shown(events)).toEqual([
      ['thinking', 'One'],
      ['text', 'Hi'],
      ['thinking', ', two'],
    ]);
  });

  test('waiting events are passed on when the item before is done, and later ones at once', () => {
    const call = { type: 'function_call', id: 'fc_a', call_id: 'a', name: 'a', arguments: '{}' };
    const said = makeStream([
      added(0, call),
      added(1, message('')),
      piece('output_text', 1, 'Hi'),
      done(0, call),
      piece('output_text', 1, ' there'),
      done(1, message('Hi there')),
    ]).map((value) => JSON.stringify(value));
    const texts = (count: number) =>
      parseUntilError(said.slice(0, count)).events.flatMap((event) =>
        event.type === 'part-delta' && event.index === 1 ? event.text : [],
      );
    const from = said.findIndex((event) => event.includes('output_text.delta'));
    expect([1, 2, 3].map((count) => texts(from + count))).toEqual([[], ['Hi'], ['Hi', ' there']]);
  });

  test('parallel calls and searches come one after another', () => {
    const call = (id: string) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name: id });
    const search = { type: 'web_search_call', id: 'ws_1', status: 'in_progress' };
    const events = parseObjects(
      makeStream([
        added(0, call('a')),
        added(1, search),
        added(2, call('b')),
        piece('function_call_arguments', 2, '{"b"'),
        piece('function_call_arguments', 0, '{"a"'),
        piece('function_call_arguments', 2, ':2}'),
        done(2, { ...call('b'), arguments: '{"b":2}' }),
        done(1, { ...search, status: 'completed' }),
        piece('function_call_arguments', 0, ':1}'),
        done(0, { ...call('a'), arguments: '{"a":1}' }),
      ]),
    );
    expectInOrder(events);
    expect(shown(events)).toEqual([['tool-call', 'a', '{"a":1}'], ['opaque'], ['tool-call', 'b', '{"b":2}']]);
  });
});

describe('calls', () => {
  const custom = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'shell', input: '' };
  const said = makeStream([
    added(0, custom),
    piece('custom_tool_call_input', 0, 'ls '),
    piece('custom_tool_call_input', 0, '-l'),
    { type: 'response.custom_tool_call_input.done', output_index: 0, input: 'ls -l' },
    done(0, { ...custom, input: 'ls -l' }),
  ]);

  test.each(['shell', 'shall'])('of custom tools have free text: %s', (name) => {
    const prompt: PromptOutline = { ...PROMPT, tools: [{ kind: 'custom', name }] };
    expect(partsOf(parseObjects(said, prompt))).toMatchObject([
      { kind: 'tool-call', id: 'call_1', name: 'shell', arguments: 'ls -l', custom: true },
    ]);
  });

  test.each<[string, PromptOutline['tools']]>([
    ['none', undefined],
    ['functions', [{ kind: 'function', name: 'look' }]],
  ])('of a custom tool are opaque to a caller who has %s', (_, tools) => {
    const events = parseObjects(said, { ...PROMPT, ...(tools && { tools }) });
    expect(partsOf(events)).toMatchObject([{ kind: 'opaque', value: { input: 'ls -l' } }]);
    expect(endOf(events)?.finish).toBe('stop');
  });

  test('of a tool that the vendor runs itself are opaque', () => {
    const prompt: PromptOutline = {
      ...PROMPT,
      tools: [{ kind: 'hosted', format: 'responses', value: { type: 'x_search' } }],
    };
    const events = parseObjects(said, prompt);
    expect(partsOf(events)).toEqual([
      { kind: 'opaque', format: 'responses', value: { ...custom, input: 'ls -l' } },
    ]);
    expect(endOf(events)?.finish).toBe('stop');
    const asked: PromptOutline = {
      ...prompt,
      tools: [...(prompt.tools ?? []), { kind: 'custom', name: 'shell' }],
    };
    expect(endOf(parseObjects(said, asked))?.finish).toBe('tool-calls');
  });

  test('have the name that the caller gave the tool', () => {
    const name = 'a tool/with ünusual letters';
    const prompt: PromptOutline = { ...PROMPT, tools: [{ kind: 'function', name }] };
    const call = { type: 'function_call', call_id: 'c', name: safeName(name), arguments: '{}' };
    expect(partsOf(parseObjects([makeResponse({ output: [call] })], prompt))).toMatchObject([{ name }]);
  });

  test('of a tool in a namespace have the name that it goes by', () => {
    const find: Tool = {
      kind: 'function',
      name: 'crm__find_2',
      givenName: 'crm__find',
      formatSpecific: keepRoundTrip({ namespace: { namespace: 'crm', name: 'find' } }),
    };
    const prompt: PromptOutline = { ...PROMPT, tools: [{ kind: 'function', name: 'crm__find' }, find] };
    const call = { type: 'function_call', call_id: 'c', name: 'find', namespace: 'crm', arguments: '{}' };
    const other = { type: 'function_call', call_id: 'd', name: 'crm__find', arguments: '{}' };
    const output = [call, other, { ...call, call_id: 'e', name: 'unknown' }];
    expect(partsOf(parseObjects([makeResponse({ output })], prompt))).toMatchObject([
      { name: 'crm__find_2' },
      { name: 'crm__find' },
      { name: 'crm__unknown' },
    ]);
  });

  test('keep the exact text of their arguments', () => {
    const text = '{ "n": 12345678901234567890, "x": 1.0, "s": "\\u00e9" }';
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: text };
    expect(partsOf(parseObjects([makeResponse({ output: [call] })]))).toMatchObject([{ arguments: text }]);
  });
});

describe('the end', () => {
  test.each<[JsonObject, JsonObject]>([
    [{}, { finish: 'stop' }],
    [
      { output: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] },
      { finish: 'tool-calls' },
    ],
    [
      { output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }] },
      { finish: 'refusal' },
    ],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, { finish: 'length' }],
    [
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
      { finish: 'content-filter' },
    ],
    [
      { status: 'incomplete', incomplete_details: { reason: 'tired' } },
      { finish: 'other', native: 'tired' },
    ],
    [{ status: 'incomplete', incomplete_details: { reason: '__proto__' } }, { finish: 'other' }],
  ])('%j', (fields, end) => {
    expect(endOf(parseObjects([makeResponse(fields)]))).toMatchObject(end);
  });

  test('events after it are ignored', () => {
    const events = parseObjects([...makeStream([]), { type: 'error', message: 'late' }]);
    expect(events.at(-1)).toEqual({ type: 'reply-end' });
  });

  test('log probabilities come with their deltas, and missing ones with the done event', () => {
    const token = (text: string) => ({ token: text, logprob: -0.5, bytes: [72], top_logprobs: [] });
    const logprobs = [token('H'), token('i')];
    const whole = message('', { content: [{ type: 'output_text', text: 'Hi', logprobs }] });
    const events = parseObjects(
      makeStream([
        added(0, message('')),
        piece('output_text', 0, 'H', { logprobs: [logprobs[0] ?? null] }),
        done(0, whole),
      ]),
    );
    expect(collect(events).choices[0]?.logprobs).toEqual(
      // OpenAI lists no other tokens unless asked for them: an empty list means the same as none.
      ['H', 'i'].map((text) => ({ token: text, logprob: -0.5, bytes: [72] })),
    );
  });

  test("drops the response's echo of the request, and keeps unknown fields", () => {
    const { formatSpecific: own, unknownFields: extra } =
      endOf(
        parseObjects([
          makeResponse({
            billing: { payer: 'x' },
            conversation: { id: 'conv_1' },
            completed_at: 1_790_000_001,
            tool_usage: { web_search: { num_requests: 1 } },
            tools: [],
            temperature: 1,
            brand_new: 7,
            user: null,
          }),
        ]),
      ) ?? {};
    expect(own?.fields).toEqual({ tool_usage: { web_search: { num_requests: 1 } } });
    expect(extra).toEqual({ brand_new: 7 });
  });
});

describe('failures', () => {
  const created = JSON.stringify({
    type: 'response.created',
    response: makeResponse({ status: 'in_progress' }),
  });
  const failed = { code: 'rate_limit_exceeded', message: 'Slow down.' };

  test.each<[string, string[], string]>([
    [
      'an error, nested',
      [created, JSON.stringify({ type: 'error', error: { type: 'x', ...failed } })],
      'rate-limited',
    ],
    ['an error, flat', [created, JSON.stringify({ type: 'error', ...failed })], 'rate-limited'],
    [
      'a failed response',
      [
        created,
        JSON.stringify({
          type: 'response.failed',
          response: makeResponse({ status: 'failed', error: failed }),
        }),
      ],
      'rate-limited',
    ],
    ['a failed whole', [JSON.stringify(makeResponse({ status: 'failed', error: failed }))], 'rate-limited'],
    ['an error as the body', [JSON.stringify({ error: failed })], 'rate-limited'],
    ['an error as text', [JSON.stringify({ code: 'bad', error: 'No.' })], 'upstream-broken'],
    ['invalid JSON', [created, '{"type":'], 'upstream-broken'],
    ['a list as an event', [created, '[1]'], 'upstream-broken'],
    ['another format', ['{"object":"chat.completion","choices":[]}'], 'upstream-broken'],
    ['a background response', [JSON.stringify(makeResponse({ status: 'queued' }))], 'upstream-broken'],
    ['a cancelled response', [created, '{"type":"response.cancelled"}'], 'upstream-broken'],
    ['no end', [created], 'upstream-broken'],
    ['nothing', [], 'upstream-broken'],
  ])('%s', (_, said, fault) => {
    const { error } = parseUntilError(said);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ fault });
  });
});

describe('arbitrary events', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const field = fc.oneof(json, fc.constantFrom<Json>(0, 1, 'Hi', 'function_call', 'message', 'reasoning'));
  const event = fc.oneof(
    json,
    fc
      .record({
        type: fc.constantFrom(
          ...ITEM_EVENTS.keys(),
          'response.created',
          'response.completed',
          'error',
          '__proto__',
        ),
        output_index: fc.oneof(fc.constantFrom<Json>(0, 1, 2), json),
        item: fc.oneof(
          json,
          fc.record({
            type: fc.constantFrom(
              'message',
              'reasoning',
              'function_call',
              'custom_tool_call',
              'web_search_call',
            ),
            content: fc.oneof(
              json,
              fc.array(fc.record({ type: fc.constantFrom('output_text', 'refusal'), text: field })),
            ),
            encrypted_content: field,
            arguments: field,
          }),
        ),
        delta: field,
        content_index: field,
        logprobs: field,
        annotation: field,
        part: field,
        response: field,
      })
      .map((value) => parseJson(JSON.stringify(value))),
  );

  test('throw only a GatewayError, and keep the parts in order', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (said) => {
        const texts = [...said.map((value) => JSON.stringify(value) ?? 'null')];
        const { error } = parseUntilError(texts);
        if (error !== undefined) expect(error).toBeInstanceOf(GatewayError);
        const items = said.filter((value) => typeof value === 'object' && value !== null && 'item' in value);
        const { events, error: last } = parseUntilError([
          ...items.map((value) => JSON.stringify(value)),
          '{"type":"response.completed","response":{"id":"r"}}',
        ]);
        if (last === undefined) expectInOrder(events);
        else expect(last).toBeInstanceOf(GatewayError);
      }),
      { numRuns: 300 },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test('may have a field called `__proto__`, which is like any other', () => {
    const item = '{"type":"web_search_call","id":"ws_1","__proto__":{"polluted":true}}';
    const { events } = parseUntilError([`{"object":"response","output":[${item}],"__proto__":{"x":1}}`]);
    const [part] = partsOf(events);
    expect(part?.kind === 'opaque' && Object.keys(part.value)).toContain('__proto__');
    expect('polluted' in {}).toBe(false);
  });
});

test('a tier at the end of a stream reaches every format that has a field for it', () => {
  const response = { id: 'resp_1', object: 'response', model: 'm', status: 'completed', output: [] };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const events = run(
    formats.responses.outbound.parseEvents(PROMPT, PERMISSIVE),
    [
      { type: 'response.created', response: { ...response, status: 'in_progress', service_tier: 'auto' } },
      { type: 'response.completed', response: { ...response, service_tier: 'flex', usage } },
    ].map((event) => ({ data: JSON.stringify(event) })),
  );
  const last = (to: 'chat-completions' | 'responses' | 'generate-content', at: number) =>
    parseJson(rendered(formats[to], events).at(at)?.data ?? '');
  expect(last('chat-completions', -2)).toMatchObject({ service_tier: 'flex', usage: { total_tokens: 2 } });
  expect(last('responses', -1)).toMatchObject({ response: { service_tier: 'flex' } });
  expect(last('generate-content', -1)).toMatchObject({ usageMetadata: { serviceTier: 'flex' } });
});
