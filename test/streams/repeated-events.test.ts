/** Events that differ from the one before only in a piece of text are read as what the parser of whole events reads. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FormatName, Prompt } from '../../src/conversation/prompt.ts';
import type { PromptOutline } from '../../src/conversation/prompt-outline.ts';
import type { ReplyEvent } from '../../src/conversation/reply.ts';
import { formats } from '../../src/formats/formats.ts';
import { decodeSse, type Sse } from '../../src/streams/sse.ts';
import { fuse, run, type Step } from '../../src/streams/step.ts';
import { modelOf } from '../support/model-traits.ts';
import { FIXTURES } from '../support/recording.ts';

const TARGET = modelOf();
const PROMPT: Prompt & PromptOutline = {
  model: 'a-model',
  turns: [],
  calls: [],
  stream: true,
  thinking: { visible: true },
};

interface Read {
  readonly events: readonly ReplyEvent[];
  readonly error: string | undefined;
  /** How many events came as a piece. */
  readonly pieces: number;
}

/** What a parser makes of a stream, and the error with which it ends. */
function read(format: FormatName, chunks: readonly Uint8Array[], isShort: boolean): Read {
  const parser = formats[format].outbound.parseEvents(PROMPT, TARGET);
  let pieces = 0;
  const counting: Step<Sse, Sse> = {
    transform(event, out) {
      if (event.piece !== undefined) pieces += 1;
      out.enqueue(event);
    },
  };
  const decoder = fuse(decodeSse(undefined, isShort ? parser.pieces : undefined), counting);
  const step = fuse(decoder, parser);
  const events: ReplyEvent[] = [];
  const out = { enqueue: (event: ReplyEvent) => void events.push(event) };
  try {
    for (const chunk of chunks) step.transform(chunk, out);
    step.flush?.(out);
  } catch (error) {
    return { events, error: String(error), pieces };
  }
  return { events, error: undefined, pieces };
}

/** Reads a stream in both ways. @returns how many events came as a piece. */
function expectSame(format: FormatName, chunks: readonly Uint8Array[]): number {
  const { pieces, ...short } = read(format, chunks, true);
  const { pieces: none, ...full } = read(format, chunks, false);
  expect(short).toEqual(full);
  expect(none).toBe(0);
  return pieces;
}

/** Cuts bytes at the places, which may lie inside a character. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((cut, at) => bytes.subarray(cuts[at], cut));
}

const event = (data: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const named = (type: string, data: object = {}): string => event({ type, ...data }, type);

const MESSAGE = named('message_start', {
  message: { id: 'msg_1', model: 'm', role: 'assistant', content: [], usage: { input_tokens: 1 } },
});
const opened = (index: number, block: object): string =>
  named('content_block_start', { index, content_block: block });
const delta = (index: number, said: object): string => named('content_block_delta', { index, delta: said });

const chunk = (said: object, beside: object = {}, choice: object = {}): string =>
  event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: said, logprobs: null, finish_reason: null, ...choice }],
    ...beside,
  });

const gemini = (part: object, usage: object = {}, candidate: object = {}, beside: object = {}): string =>
  event({
    candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...candidate }],
    usageMetadata: { promptTokenCount: 7, ...usage },
    modelVersion: 'gemini-3-flash-preview',
    responseId: 'r1',
    ...beside,
  });

/** Chunks in one list. */
const both = (one: string, two: string): string =>
  event([one, two].map((piece) => JSON.parse(gemini({ text: piece }).slice(6))));

const OTHER_GEMINI = [
  gemini({ text: 'a thought', thought: true }),
  gemini({ text: 'signed', thoughtSignature: 'c2lnbmVk' }),
  gemini({ text: 'else' }, {}, { index: 1 }),
  gemini({ functionCall: { name: 'f', args: { a: 1 } } }),
  gemini(
    { text: 'rated' },
    {},
    { safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }] },
  ),
  gemini(
    { text: 'cited' },
    {},
    { citationMetadata: { citations: [{ startIndex: 0, endIndex: 2, uri: 'https://a.test' }] } },
  ),
  gemini({ text: 'end' }, { candidatesTokenCount: 9 }, { finishReason: 'STOP' }),
  gemini(
    { text: 'word' },
    { candidatesTokenCount: 3, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 7 }] },
  ),
  event({ usageMetadata: { promptTokenCount: 7, totalTokenCount: 11 } }),
  both('one', 'two'),
];

const CREATED = named('response.created', { response: { id: 'resp_1', model: 'm', output: [] } });
const ITEM = named('response.output_item.added', {
  output_index: 0,
  item: { type: 'message', id: 'msg_1', role: 'assistant', content: [] },
});
const PART = named('response.content_part.added', {
  output_index: 0,
  content_index: 0,
  part: { type: 'output_text', text: '' },
});

/** A delta of the Responses API. @param order where the number and the padding stand, as vendors and services have them. */
const numbered = (
  said: string,
  at: number,
  order: 'first' | 'second' | 'last',
  beside: object = {},
  type = 'response.output_text.delta',
): string => {
  const number = { sequence_number: at };
  const padding = { obfuscation: 'aB3'.repeat(at % 3) };
  const fields = { item_id: 'msg_1', content_index: 0, delta: said, logprobs: [], ...beside };
  const orders = {
    first: { ...number, type, output_index: 0, ...fields },
    second: { type, ...number, output_index: 0, ...fields, ...padding },
    last: { type, ...fields, ...padding, output_index: 0, ...number },
  };
  return event(orders[order], type);
};

const OTHER_NUMBERED = [
  numbered('one', 7, 'second', { content_index: 1 }),
  numbered('scored', 7, 'second', { logprobs: [{ token: 'x', logprob: -1, bytes: null, top_logprobs: [] }] }),
  numbered('a thought', 7, 'last', {}, 'response.reasoning_text.delta'),
  numbered('no', 7, 'first', {}, 'response.refusal.delta'),
  numbered('same', 7, 'first', { item_id: 'same' }),
  named('response.in_progress', { response: {} }),
  named('response.output_text.done', { output_index: 0, content_index: 0, text: 'all of it' }),
  event({ type: 'response.output_text.delta', sequence_number: -1, output_index: 0, delta: 'less' }),
  event({
    type: 'response.output_text.delta',
    sequence_number: '5',
    obfuscation: 5,
    output_index: 0,
    delta: 'word',
  }),
  event({ type: 'error', message: 'It broke.' }),
];

/** What may come between the deltas of Anthropic's stream. */
const OTHER_EVENTS = [
  named('ping'),
  ': a comment\n\n',
  'id: 7\nretry: 10\n\n',
  delta(0, { type: 'citations_delta', citation: { type: 'char_location', cited_text: 'x' } }),
  opened(1, { type: 'thinking', thinking: '' }) + delta(1, { type: 'thinking_delta', thinking: 'a thought' }),
  opened(2, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }) +
    delta(2, { type: 'input_json_delta', partial_json: '{"a' }),
  named('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\u0001b"}}\n\n',
];

const OTHER_CHUNKS = [
  ': OPENROUTER PROCESSING\n\n',
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'a thought' }),
  chunk({ content: 'one' }, {}, { index: 1 }),
  chunk({ content: 'seen' }, {}, { logprobs: { content: [{ token: 'seen', logprob: -1, bytes: null }] } }),
  chunk({ content: 'same' }, {}, { text: 'same' }),
  chunk({ content: 'word' }, { usage: { prompt_tokens: 1, completion_tokens: 2 } }),
  chunk({
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  }),
  event({ error: { message: 'It broke.' } }),
  'data: null\n\n',
  'data: {"choices":[{"index":0,"delta":{"content":"a\\qb"}}]}\n\n',
];

const text = fc.oneof(
  fc.constantFrom(
    ' word',
    'the',
    ' "quoted"',
    '\\',
    '\\"',
    '"',
    '',
    ',',
    '":"',
    'text',
    'delta',
    '\n\n',
    'é',
    '😀',
    '\ud800',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.stringMatching(/^[ \w]{1,12}$/),
);
const places = fc.array(fc.nat(20_000), { maxLength: 12 });
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');

/** Reads any streams in both ways. @param begin what each of them begins with. */
function expectAlwaysSame(
  format: FormatName,
  said: fc.Arbitrary<string>,
  ending: fc.Arbitrary<string>,
  begin = '',
): void {
  fc.assert(
    fc.property(fc.array(said, { maxLength: 30 }), ending, places, lineEnd, (events, end, cuts, line) => {
      const stream = (begin + events.join('') + end).replaceAll('\n', line);
      expectSame(format, cutAt(new TextEncoder().encode(stream), cuts));
    }),
    { numRuns: 400 },
  );
}

describe('a stream is read as by the parser of whole events', () => {
  test.each(['messages', 'chat-completions', 'generate-content', 'responses'] as const)(
    'every recorded stream in %s',
    (format) => {
      const folder = join(FIXTURES, 'replies', format);
      const streams = readdirSync(folder).filter((file) => file.endsWith('.sse'));
      let pieces = 0;
      for (const file of streams) {
        const bytes = readFileSync(join(folder, file));
        pieces += expectSame(format, [bytes]);
        for (const size of [1, 7, 300]) {
          const count = Math.ceil(bytes.length / size);
          expectSame(
            format,
            cutAt(
              bytes,
              Array.from({ length: count }, (_, at) => at * size),
            ),
          );
        }
      }
      expect(streams.length).toBeGreaterThan(5);
      expect(pieces).toBeGreaterThan(50);
    },
  );

  test('any pieces and other events of messages, cut anywhere', () => {
    const said = fc.oneof(
      { weight: 6, arbitrary: text.map((piece) => delta(0, { type: 'text_delta', text: piece })) },
      { weight: 1, arbitrary: fc.constantFrom(...OTHER_EVENTS) },
    );
    const ending = fc.constantFrom(
      '',
      named('content_block_stop') +
        named('message_delta', { delta: { stop_reason: 'end_turn' } }) +
        named('message_stop'),
    );
    expectAlwaysSame('messages', said, ending, MESSAGE + opened(0, { type: 'text', text: '' }));
  });

  test('any pieces and other chunks of chat-completions, padded or not, cut anywhere', () => {
    const padding = fc.constantFrom(
      {},
      { obfuscation: 'aB3' },
      { obfuscation: '' },
      { p: 'abcdefgh' },
      { p: 'a"b' },
    );
    const said = fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .tuple(text, padding, fc.constantFrom('content', 'content', 'reasoning_content', 'reasoning'))
          .map(([piece, beside, field]) => chunk({ content: null, [field]: piece }, beside)),
      },
      { weight: 1, arbitrary: fc.constantFrom(...OTHER_CHUNKS) },
    );
    const ending = fc.constantFrom('', `${chunk({}, {}, { finish_reason: 'stop' })}data: [DONE]\n\n`);
    expectAlwaysSame('chat-completions', said, ending);
  });

  test('any pieces and counts of generate-content, cut anywhere', () => {
    const counts = fc.record({ candidatesTokenCount: fc.nat(3_000), totalTokenCount: fc.nat(3_000) });
    const usage = fc.oneof(
      counts,
      fc.constant({}),
      counts.map((some) => ({ thoughtsTokenCount: 4, ...some })),
    );
    const said = fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .tuple(text, usage, fc.constantFrom({}, {}, { thought: true }))
          .map(([piece, figures, kind]) => gemini({ text: piece, ...kind }, figures)),
      },
      { weight: 1, arbitrary: fc.constantFrom(...OTHER_GEMINI) },
    );
    const ending = fc.constantFrom('', gemini({ text: '' }, {}, { finishReason: 'STOP' }));
    expectAlwaysSame('generate-content', said, ending);
  });
});

test('any pieces and numbers of responses, cut anywhere', () => {
  const order = fc.constantFrom('first', 'second', 'second', 'last', 'last');
  const said = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(text, fc.nat(1_000), order).map(([piece, at, place]) => numbered(piece, at, place)),
    },
    { weight: 1, arbitrary: fc.constantFrom(...OTHER_NUMBERED) },
  );
  const ending = fc.constantFrom(
    '',
    named('response.completed', { response: { status: 'completed', output: [] } }),
  );
  expectAlwaysSame('responses', said, ending, CREATED + ITEM + PART);
});

describe('what only looks like the same event', () => {
  const logprobs = { logprobs: { content: [{ token: 'x', logprob: -1, bytes: null }] } };

  const chunks = [
    {
      name: 'another field with the same text, which then changes',
      stream: chunk({ content: 'word' }, { id: 'word' }) + chunk({ content: 'word' }, { id: 'other' }),
    },
    {
      name: 'comments that repeat an event',
      stream: `${chunk({ content: 'word' })}: {"a":"word"}\n\n: {"a":"else"}\n\n`,
    },
    {
      name: 'log probabilities beside a text',
      stream: chunk({ content: 'one' }, {}, logprobs) + chunk({ content: 'two' }, {}, logprobs),
    },
    {
      name: 'a text that is a key elsewhere',
      stream: chunk({ content: 'model' }) + chunk({ content: 'delta' }) + chunk({ content: 'index' }),
    },
    {
      name: 'the same usage beside a text',
      stream: ['one', 'two']
        .map((word) => chunk({ content: word }, { usage: { prompt_tokens: 1, completion_tokens: 2 } }))
        .join('')
        .concat(chunk({}, {}, { finish_reason: 'stop' }), 'data: [DONE]\n\n'),
    },
    {
      name: 'thoughts beside a text',
      stream:
        chunk({ content: 'one', reasoning_content: 'hm' }) +
        chunk({ content: 'two', reasoning_content: 'hm' }),
    },
  ];

  const scored = { logprobsResult: { chosenCandidates: [{ token: 'x', logProbability: -1 }] } };
  const cited = (end: number): object => ({
    citationMetadata: { citations: [{ startIndex: 0, endIndex: end, uri: 'https://a.test' }] },
  });
  const END = gemini({ text: '' }, {}, { finishReason: 'STOP' });

  const geminis = [
    {
      name: 'log probabilities beside a text of Gemini',
      stream: gemini({ text: 'one' }, {}, scored) + gemini({ text: 'two' }, {}, scored),
    },
    {
      name: 'signed texts',
      stream: ['one', 'two', 'six']
        .map((piece) => gemini({ text: piece, thoughtSignature: 'c2ln' }))
        .join(''),
    },
    { name: 'lists of chunks', stream: both('one', 'two') + both('one', 'six') + both('one', 'ten') },
    {
      name: 'texts that have sources',
      stream:
        gemini({ text: 'one' }, {}, cited(9)) +
        gemini({ text: ' two' }) +
        gemini({ text: ' six' }) +
        gemini({ text: 'hm', thought: true }),
    },
    {
      name: 'texts with the same source each time',
      stream: ['one', ' two', ' six'].map((piece) => gemini({ text: piece }, {}, cited(9))).join(''),
    },
    {
      name: 'a text of another candidate',
      stream: gemini({ text: 'one' }) + gemini({ text: 'two' }, {}, { index: 1 }) + gemini({ text: 'six' }),
    },
  ];

  test.each<{ format: FormatName; name: string; stream: string }>([
    ...chunks.map((one) => ({ ...one, format: 'chat-completions' as const })),
    ...geminis.map(({ name, stream }) => ({
      name,
      stream: stream + END,
      format: 'generate-content' as const,
    })),
  ])('$name', ({ format, stream }) => {
    expectSame(format, [new TextEncoder().encode(stream)]);
  });
});

describe('nothing of an event but its piece is parsed', () => {
  const words = Array.from({ length: 50 }, (_, at) => ` word${at}`);

  test.each<{ name: string; format: FormatName; stream: string; least: number }>([
    {
      name: 'messages',
      format: 'messages',
      stream:
        MESSAGE +
        opened(0, { type: 'text', text: '' }) +
        words.map((word) => delta(0, { type: 'text_delta', text: word })).join(''),
      least: 49,
    },
    {
      name: 'chat-completions',
      format: 'chat-completions',
      stream: words.map((word) => chunk({ content: word })).join(''),
      least: 49,
    },
    {
      name: 'chunks with padding of any length',
      format: 'chat-completions',
      stream: words.map((word, at) => chunk({ content: word }, { obfuscation: 'x'.repeat(at % 7) })).join(''),
      least: 49,
    },
    {
      name: 'counts that change with each chunk',
      format: 'generate-content',
      stream: words
        .map((word, at) => gemini({ text: word }, { candidatesTokenCount: at, totalTokenCount: 7 + at }))
        .join('')
        .concat(gemini({ text: '' }, {}, { finishReason: 'STOP' })),
      least: 49,
    },
    ...(['first', 'second', 'last'] as const).map((order) => ({
      name: `numbers and padding of responses, ${order}`,
      format: 'responses' as const,
      stream: CREATED + ITEM + PART + words.map((word, at) => numbered(word, at, order)).join(''),
      least: 49,
    })),
    {
      name: 'thoughts',
      format: 'chat-completions',
      stream: words.map((word) => chunk({ content: null, reasoning_content: word })).join(''),
      least: 49,
    },
    {
      name: 'pings between the deltas',
      format: 'messages',
      stream:
        MESSAGE +
        opened(0, { type: 'text', text: '' }) +
        words
          .map(
            (word, at) =>
              delta(0, { type: 'text_delta', text: word }) + (at % 10 === 0 ? OTHER_EVENTS[0] : ''),
          )
          .join(''),
      least: 39,
    },
  ])('$name', ({ format, stream, least }) => {
    const bytes = new TextEncoder().encode(stream);
    expect(expectSame(format, [bytes])).toBeGreaterThanOrEqual(least);
    // One read for each event, as models send them.
    const ends = [...stream.matchAll(/\n\n/g)].map(({ index }) => index + 2);
    expect(expectSame(format, cutAt(bytes, ends))).toBeGreaterThanOrEqual(least);
  });

  test('a stream whose every event differs is soon no longer looked at', () => {
    const stream = words.map((word, at) => chunk({ content: word }, { created: at, sequence: at })).join('');
    expect(expectSame('chat-completions', [new TextEncoder().encode(stream)])).toBe(0);
  });
});

test('the events of one read come without the next one, also where lines end in CR alone', () => {
  for (const line of ['\n', '\r\n', '\r']) {
    const parser = formats['chat-completions'].outbound.parseEvents(PROMPT, TARGET);
    const step = fuse(decodeSse(undefined, parser.pieces), parser);
    const seen: string[] = [];
    const out = { enqueue: (one: ReplyEvent) => void (one.type === 'part-delta' && seen.push(one.text)) };
    for (const word of ['one', 'two', 'six', 'ten']) {
      const bytes = new TextEncoder().encode(chunk({ content: word }).replaceAll('\n', line));
      step.transform(bytes, out);
      // Behind a lone CR, a parser has to wait for what may be its LF.
      if (line !== '\r') expect(seen.at(-1)).toBe(word);
    }
    expect(seen.length).toBeGreaterThanOrEqual(3);
  }
});

test('an unfinished event that goes on for long is not held', () => {
  const decoder = decodeSse(20_000, { last: () => undefined });
  expect(() => run(decoder, [new TextEncoder().encode(`data: ${'x'.repeat(50_000)}`)])).toThrow('too long');
});
