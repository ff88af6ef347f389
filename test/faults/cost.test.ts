/**
 * Whatever reads bytes of a caller or a vendor looks at each of them a bounded number of times: four times the bytes
 * cost at most five times as much, whatever they are and however they are cut.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openLedger } from '../../src/accounting/usage/ledger.ts';
import { tokensOfRequest } from '../../src/accounting/usage/output-estimate.ts';
import { keepTopLevel, mayRepeat } from '../../src/accounting/usage/top-level-member.ts';
import { UsageObserver } from '../../src/accounting/usage/usage-observer.ts';
import { parseDataUrl } from '../../src/conversation/data-url.ts';
import { holdsInexactNumber } from '../../src/conversation/inexact-number.ts';
import type { ReplyEvent } from '../../src/conversation/reply.ts';
import { argumentsObject } from '../../src/conversation/rules/arguments.ts';
import { ArgumentScan } from '../../src/formats/chat-completions/outbound/argument-scan.ts';
import { PartSequence } from '../../src/formats/chat-completions/outbound/part-sequence.ts';
import { stripInjectedUsage } from '../../src/formats/chat-completions/outbound/strip-injected-usage.ts';
import { parseEventObject } from '../../src/formats/event-data.ts';
import { unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import { callIds } from '../../src/formats/generate-content/inbound/call-ids.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { isBounded, MAX_ANSWER_DEPTH, MAX_DEPTH, MAX_TOKENS, tokensIn } from '../../src/lib/json-bounds.ts';
import { scanInSteps, scanObject } from '../../src/lib/json-scan.ts';
import { itemsOf } from '../../src/lib/scanned-values.ts';
import { fieldsWithInexactNumbers } from '../../src/pipeline/body/parse-body.ts';
import { scanned } from '../../src/pipeline/body/scanned.ts';
import { endWithError } from '../../src/pipeline/late-error.ts';
import { Beginning, failureInBody } from '../../src/pipeline/reply/early-failure.ts';
import { findOtherModels } from '../../src/pipeline/restrictions/other-models.ts';
import { requireUniqueKeys } from '../../src/pipeline/restrictions/unique-keys.ts';
import { nearestPath } from '../../src/server/http/path-advice.ts';
import { readMessage } from '../../src/server/websocket/message.ts';
import { decodeSse } from '../../src/streams/sse.ts';
import { run } from '../../src/streams/step.ts';
import { EndWatch } from '../../src/translate/watch-end.ts';
import { excessOf } from '../support/cost.ts';

/**
 * Small enough for a run in a moment, large enough for quadratic cost to show: 64 KB of white space once took ten
 * seconds.
 */
const SIZE = 16 * 1024;

/** What readers of bytes stop at, repeated: alone, and two or three together. */
const ATOMS = [
  ' ',
  '\n',
  '\r',
  '\r\n',
  '"',
  '\\',
  '\\"',
  '{',
  '}',
  '{}',
  '[',
  ']',
  ':',
  ',',
  'x',
  '-',
  '0',
  '1.0',
  '\u00e9',
  '"usage"',
  '"usage":',
  '"usage":{',
  '"usage":null,',
  '"choices":[],',
  '"model":"m",',
  '"a":1,',
  'data:',
  'data: {',
  'event: x',
  ': ping',
  '\n\n',
  '\\u0075',
  '"total_tokens":1',
  '"error":',
  '"tools":[',
];
const repeated = fc
  .array(fc.constantFrom(...ATOMS), { minLength: 1, maxLength: 3 })
  .map((atoms) => atoms.join(''));

/** What may surround it, so that a reader reaches it. */
const AROUND: readonly (readonly [before: string, behind: string])[] = [
  ['', ''],
  ['{', '"model":"x"}'],
  ['{"model":', '"x"}'],
  ['{"model":"x"', '}'],
  ['{"tools":[', ']}'],
  ['{"tools":[{"type":"a"', '}]}'],
  ['data: {"usage"', '}\n\n'],
  ['data: {"error":', '}\n\n'],
  ['data:', '{"choices":[],"usage":null}\n\n'],
  [': ', '\n\n'],
];

interface Input {
  readonly around: readonly [before: string, behind: string];
  readonly unit: string;
  /** The bytes of a piece of a stream; 0 if all of it arrives at once. */
  readonly cut: number;
}

function bytesOf({ around: [before, behind], unit }: Input, size: number): Buffer {
  return Buffer.from(before + unit.repeat(Math.ceil(size / Buffer.byteLength(unit))) + behind);
}

function piecesOf(input: Input, size: number): readonly Buffer[] {
  const bytes = bytesOf(input, size);
  if (input.cut === 0) return [bytes];
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += input.cut) pieces.push(bytes.subarray(at, at + input.cut));
  return pieces;
}

/** A reader has read what it refuses, too; any other error that it throws is a fault. */
function orRefused(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
}

const usageOf = (pieces: readonly Buffer[]): void => {
  const observer = new UsageObserver('usage', true);
  for (const piece of pieces) observer.add(piece);
  observer.remains();
};

function firstWords(pieces: readonly Buffer[]): void {
  const beginning = new Beginning(formats['chat-completions'].outbound);
  for (const piece of pieces) beginning.watch(piece);
  beginning.end();
}

function guarded(pieces: readonly Buffer[]): void {
  const watch = new EndWatch(formats.responses);
  const out = { enqueue() {} };
  for (const piece of pieces) watch.transform(piece, out);
  watch.failure();
  watch.fail(new GatewayError('upstream-broken', 'gone'), out, (error, render, events) =>
    endWithError(openLedger(false), error, '', render, events),
  );
}

function told(pieces: readonly Buffer[]): void {
  const line = new PartSequence(0, false);
  const out = { enqueue() {} };
  const part = line.begin({ kind: 'tool-call', id: 'a', name: 'f' }, out);
  for (const piece of pieces) line.write(part, piece.toString('latin1'), out);
  line.end(out);
}

/** Every reader of bytes, of requests and of streams. */
const READERS: Readonly<Record<string, (pieces: readonly Buffer[]) => void>> = {
  'json-scan: an object': ([bytes = Buffer.alloc(0)]) => void scanObject(bytes),
  'json-scan: in steps': ([bytes = Buffer.alloc(0)]) => {
    const work = scanInSteps(bytes, 64);
    while (!work.next().done);
  },
  'what an answer may repeat': (pieces) => {
    const work = mayRepeat(pieces);
    while (!work.next().done);
  },
  'tokens of a request': (pieces) => void tokensOfRequest(...pieces),
  'json-scan: a list': ([bytes = Buffer.alloc(0)]) => {
    const scan = scanObject(bytes);
    for (const span of scan.fields.values()) Array.from(itemsOf(scan, span));
  },
  'models beside': ([bytes = Buffer.alloc(0)]) => void findOtherModels(scanned(bytes).tree()),
  'keys that are there twice': ([bytes = Buffer.alloc(0)]) =>
    requireUniqueKeys(scanned(bytes), 'generate-content'),
  'odd numbers of a body': ([bytes = Buffer.alloc(0)]) => void fieldsWithInexactNumbers(scanned(bytes)),
  'a WebSocket message': ([bytes = Buffer.alloc(0)]) => void readMessage(bytes),
  'the bounds of JSON': ([bytes = Buffer.alloc(0)]) => void isBounded(bytes.toString('utf8')),
  'odd numbers': ([bytes = Buffer.alloc(0)]) => void holdsInexactNumber(bytes.toString('utf8')),
  'arguments as an object': ([bytes = Buffer.alloc(0)]) => void argumentsObject(bytes.toString('utf8')),
  'a data URL': ([bytes = Buffer.alloc(0)]) => void parseDataUrl(`data:${bytes.toString('utf8')}`),
  'a query': ([bytes = Buffer.alloc(0)]) => void new URLSearchParams(bytes.toString('latin1')).toString(),
  'a path': ([bytes = Buffer.alloc(0)]) => void nearestPath(bytes.toString('latin1')),
  'a whole body that fails': ([bytes = Buffer.alloc(0)]) =>
    void failureInBody(bytes, formats['chat-completions'].outbound),
  'server-sent events': (pieces) => void run(decodeSse(), pieces),
  'hide-usage': (pieces) => void run(stripInjectedUsage(), pieces),
  'usage-search': usageOf,
  outermost: (pieces) => {
    const own = keepTopLevel();
    for (const piece of pieces) own(piece);
  },
  'early-failure': firstWords,
  guard: guarded,
  'argument-scan': (pieces) => {
    const scan = new ArgumentScan();
    for (const piece of pieces) scan.add(piece.toString('latin1'));
  },
  'part-line': told,
};

/** Inputs whose cost was once quadratic, or that overflowed the stack. */
const EXAMPLES: readonly Input[] = [
  { around: ['{', '"model":"x"}'], unit: ' ', cut: 0 },
  { around: ['{"model":"x"', '}'], unit: '\r\n', cut: 0 },
  { around: ['data: {"usage"', '}\n\n'], unit: '"usage":', cut: 0 },
  { around: ['data:', '{"choices":[],"usage":null}\n\n'], unit: ' ', cut: 7 },
  { around: [': ', '\n\n'], unit: 'x\n', cut: 3 },
  { around: ['', ''], unit: '{}', cut: 0 },
];

const RUNS = process.env['FULL'] === undefined ? 8 : 400;

describe('each byte is read a bounded number of times', () => {
  test.each(Object.entries(READERS))('%s', { timeout: 600_000 }, (_, reader) => {
    const input = fc.record({
      around: fc.constantFrom(...AROUND),
      unit: repeated,
      cut: fc.constantFrom(0, 7, 1_400),
    });
    fc.assert(
      fc.property(input, (each) => {
        const excess = excessOf(
          (size) => piecesOf(each, size),
          (pieces) => orRefused(() => reader(pieces)),
          SIZE,
        );
        expect(excess).toBeUndefined();
      }),
      { numRuns: RUNS, examples: EXAMPLES.map((example): [Input] => [example]), endOnFailure: true },
    );
  });
});

describe('an answer is held to the bounds of a request before it becomes a value', () => {
  const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  test('megabytes of empty objects, and of opening brackets', () => {
    const many = `{"a":[${'{},'.repeat(MAX_TOKENS)}{}]}`;
    for (const data of [many, nested(1_000), '['.repeat(6_000_000)]) {
      expect(() => parseEventObject(data)).toThrow('too much JSON');
      expect(argumentsObject(data)).toEqual({ arguments: data });
      for (const { outbound } of Object.values(formats)) {
        expect(outbound.parseError(400, data)).toBeInstanceOf(GatewayError);
        expect(outbound.parseFailure({ data })).toBeUndefined();
      }
    }
  });

  test('everything that a request may hold is accepted in an answer, some levels deeper', () => {
    expect(() => parseEventObject(`${' '.repeat(1_000)}${nested(MAX_DEPTH)}`)).not.toThrow();
    expect(() => parseEventObject(`${' '.repeat(1_000)}${nested(MAX_ANSWER_DEPTH)}`)).toThrow(
      'too much JSON',
    );
  });

  test('the count is the same, wherever strings end', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const outside = text.replaceAll(/"(?:\\.|[^"\\])*"/g, '');
        expect(tokensIn(text)).toBe(outside.replaceAll(/[^{[,:]/g, '').length);
      }),
    );
  });
});

test('a data URL has at most a kilobyte before its data', () => {
  const inline = (head: string) => parseDataUrl(`data:${head};base64,AA`);
  expect(inline('image/png')).toEqual({ mediaType: 'image/png', data: 'AA' });
  expect(inline('a'.repeat(1_024 - ';base64'.length))?.data).toBe('AA');
  expect(() => inline('a'.repeat(1_025 - ';base64'.length))).toThrow('before its data');
  expect(() => inline(';a'.repeat(7_000_000))).toThrow('before its data');
});

describe('metadata about the texts of a Gemini stream costs in proportion to its size, not to its square', () => {
  const PROMPT = { model: 'm', calls: [], stream: true };
  const TARGET = {
    model: 'm',
    maxOutputTokens: 1,
    sampling: true,
    structuredOutput: true,
    dialect: 'google',
  };

  /** A chunk of one candidate for each number up to `count`. */
  const chunksOf = (count: number, candidate: (at: number) => object): readonly string[] =>
    Array.from({ length: count }, (_, at) => JSON.stringify({ candidates: [candidate(at)] }));

  const parse = (chunks: readonly string[]): void => {
    const parser = formats['generate-content'].outbound.parseEvents(PROMPT, TARGET);
    const events: ReplyEvent[] = [];
    const out = { enqueue: (event: ReplyEvent) => void events.push(event) };
    for (const data of chunks) parser.transform({ data }, out);
    parser.transform({ data: '{"candidates":[{"finishReason":"STOP"}]}' }, out);
    parser.flush?.(out);
    expect(events.at(-1)?.type).toBe('reply-end');
  };

  const text = (at: number) => ({ parts: [{ text: `${at}` }, { text: 'hm', thought: true }] });
  const STREAMS: Readonly<Record<string, (at: number) => object>> = {
    'citations in every chunk': (at) => ({
      content: { parts: [{ text: 'a' }] },
      citationMetadata: { citationSources: [{ uri: `https://a/${at}`, startIndex: at, endIndex: at + 1 }] },
    }),
    'a text and a thought in every chunk, after one source': (at) => ({
      content: text(at),
      ...(at === 0 && { groundingMetadata: { groundingChunks: [{ web: { uri: 'https://a' } }] } }),
    }),
    'another field of the metadata in every chunk': (at) => ({ groundingMetadata: { [`f${at}`]: at } }),
    'another unknown field in every chunk': (at) => ({ content: { parts: [{ text: 'a' }] }, [`f${at}`]: at }),
  };

  test.each(Object.entries(STREAMS))('%s', (_, candidate) => {
    expect(excessOf((size) => chunksOf(size, candidate), parse, 6_000)).toBeUndefined();
  });

  test('one long quotation from many sources', () => {
    const quoting = (size: number): readonly string[] => [
      JSON.stringify({
        candidates: [
          {
            content: { parts: [{ text: 'a' }] },
            groundingMetadata: {
              groundingChunks: Array.from({ length: size }, (_, at) => ({ web: { uri: `https://a/${at}` } })),
              groundingSupports: [
                {
                  segment: { text: 'a'.repeat(size * 20) },
                  groundingChunkIndices: Array.from({ length: size }, (_, at) => at),
                },
              ],
            },
          },
        ],
      }),
    ];
    expect(excessOf(quoting, parse, 3_000)).toBeUndefined();
  });

  test('calls without ids, and results that answer none of them', () => {
    const find = (size: number): void => {
      const ids = callIds();
      for (let at = 0; at < size; at++) ids.ofCall('a', undefined);
      for (let at = 0; at < size; at++) expect(ids.ofResult('b', undefined)).toBe(`call_stray_${at}`);
      for (let at = 0; at < size; at++) ids.ofResult('a', undefined);
    };
    expect(excessOf((size) => size, find, 3_000)).toBeUndefined();
  });

  test('signatures that carry thoughts: one of many, and many of one', { timeout: 120_000 }, () => {
    const thoughtSignature = (thoughts: readonly object[]): string =>
      Buffer.from(`thoughts#${JSON.stringify({ thoughts })}`).toString('base64');
    const thought = { text: 'x', signature: 'anthropic#EqQB' };
    const inputs = [
      (size: number) => [{ text: 'x', thoughtSignature: thoughtSignature(Array(size).fill(thought)) }],
      (size: number) =>
        Array.from({ length: size }, (_, at) => ({
          text: 'x',
          thoughtSignature: thoughtSignature([{ ...thought, text: `${at}` }]),
        })),
    ];
    const { inbound } = formats['generate-content'];
    for (const partsOf of inputs) {
      const prepare = (size: number) => ({ contents: [{ role: 'model', parts: partsOf(size) }] });
      expect(excessOf(prepare, (body) => inbound.parseRequest(body, unreported), 2_000)).toBeUndefined();
    }
  });
});
