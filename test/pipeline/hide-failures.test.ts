import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formats } from '../../src/formats/formats.ts';
import { FailureHider } from '../../src/pipeline/reply/hide-failures.ts';
import { run } from '../../src/streams/step.ts';
import { LEAKS, lateFailure, SECRETS, withEscapes } from '../faults/secrets.ts';
import { streamedAnswer } from '../faults/upstream-ways.ts';
import { growthOf, SQUARE } from '../support/cost.ts';

const KEY = 'vendor-key-0123456789';

const hide = (format: keyof typeof formats, pieces: readonly Uint8Array[]): string =>
  Buffer.concat(run(new FailureHider(formats[format].outbound, KEY), pieces)).toString('utf8');

/** Places to cut a text, as fractions of its length. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });

function cut(text: string, parts: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const places = parts.map((part) => Math.floor(part * bytes.length)).sort((one, other) => one - other);
  const all = [0, ...places, bytes.length];
  return all.slice(1).map((end, at) => bytes.subarray(all[at], end));
}

describe.each(Object.values(formats).map(({ name }) => name))('%s', (format) => {
  const answer = streamedAnswer(format);

  test.each([
    ['in one line', undefined, 0],
    ['over several lines', 2, 0],
    ['of 100 KB', 2, 100_000],
  ])('an error outside of any event shows no secret, %s', (_, indent, length) => {
    const message = `Failed with ${KEY}${' x'.repeat(length / 2)}`;
    const error = JSON.stringify(
      { error: { code: 400, message, status: 'INVALID_ARGUMENT' } },
      undefined,
      indent,
    );
    const shown = hide(format, [Buffer.from(answer), Buffer.from(error)]);
    expect(shown).toBe(answer + error.replace(KEY, '[hidden]'));
  });

  test.each([
    ['a text', { error: `Failed with ${KEY}` }],
    ['a message alone', { message: `Failed with ${KEY}` }],
    [
      'behind 20 KB of something else',
      { request: 'x'.repeat(20_000), error: { message: `Failed with ${KEY}` } },
    ],
  ])('nor does one that is written otherwise: %s', (_, value) => {
    const error = JSON.stringify(value, undefined, 2);
    const shown = hide(format, [
      Buffer.from(answer),
      Buffer.from(error.slice(0, 17_000)),
      Buffer.from(error.slice(17_000)),
    ]);
    expect(shown).toBe(answer + error.replace(KEY, '[hidden]'));
  });

  test.each(['\u2028', '\u2029'])('%j ends no line of an answer that mentions an error', (separator) => {
    const text = `Say${separator}${KEY} and 10.0.0.1`;
    const event = `data: ${JSON.stringify({ type: 'x', of: { error: {} }, text })}\n\n`;
    expect(hide(format, [Buffer.from(answer + event)])).toBe(answer + event);
  });

  test.each(['\n', '\r\n', '\r'])(
    'law: an answer passes byte for byte, however it is cut; lines end in %j',
    (end) => {
      const text = `: hello\n\n${answer}${lateFailure(format, 'Odd: \\u0041 "x" 2001:db8::1')}`.replaceAll(
        '\n',
        end,
      );
      fc.assert(
        fc.property(cuts, (parts) => {
          expect(hide(format, cut(text, parts))).toBe(text);
        }),
        { numRuns: 60 },
      );
    },
  );

  test.each(['\n', '\r\n', '\r'])(
    'law: a failure shows no secret, however it is cut; lines end in %j',
    (end) => {
      const failure = withEscapes(lateFailure(format, `Failed with ${KEY} ${LEAKS}`)).replaceAll('\n', end);
      const before = answer.replaceAll('\n', end);
      fc.assert(
        fc.property(cuts, (parts) => {
          const shown = hide(format, cut(before + failure, parts));
          expect(shown.slice(0, before.length)).toBe(before);
          expect(shown).toContain('Failed with [hidden]');
          expect(shown.endsWith(end + end)).toBe(true);
          for (const secret of [KEY, ...SECRETS]) expect(shown).not.toContain(secret);
        }),
        { numRuns: 60 },
      );
    },
  );

  test('a comment is not held, nor is a chunk that ends with an event', () => {
    const step = new FailureHider(formats[format].outbound, KEY);
    const said: string[] = [];
    const out = { enqueue: (bytes: Uint8Array) => void said.push(Buffer.from(bytes).toString()) };
    for (const piece of [': ping\n', ': pi', 'ng\n', 'data: {"x":', '1}\n\n'])
      step.transform(Buffer.from(piece), out);
    expect(said).toEqual([': ping\n', ': ping\n', 'data: {"x":1}\n\n']);
  });

  test('the cost grows linearly with the stream: pieces of an event, line breaks, failures', () => {
    for (const piece of ['data: x', 'data: x\n', '\n', '\r', ': x\n', lateFailure(format, '\\u0041')]) {
      const cost = growthOf((size) => {
        hide(
          format,
          Array.from({ length: size }, () => Buffer.from(piece)),
        );
      }, 8_000);
      expect(cost, JSON.stringify(piece)).toBeLessThan(SQUARE);
    }
  });
});

test('a long event of an answer is not held until its end', () => {
  const step = new FailureHider(formats['chat-completions'].outbound, KEY);
  let size = 0;
  const out = {
    enqueue(bytes: Uint8Array) {
      size += bytes.byteLength;
    },
  };
  step.transform(Buffer.from(`data: {"x":"${'y'.repeat(10_000)}`), out);
  expect(size).toBe(0);
  step.transform(Buffer.from('y'.repeat(10_000)), out);
  expect(size).toBeGreaterThan(20_000);
  step.transform(Buffer.from('"}\n\ndata: {"error":{"message":"sk-\\u0061bcdefghijklmnopqrst"}}\n'), out);
  const last: string[] = [];
  step.transform(Buffer.from('\n'), { enqueue: (bytes) => void last.push(Buffer.from(bytes).toString()) });
  expect(last.join('')).toBe('data: {"error":{"message":"[hidden]"}}\n\n');
});
