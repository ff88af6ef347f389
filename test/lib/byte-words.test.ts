/** The ends of strings, found four bytes at a time. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteWords } from '../../src/lib/byte-words.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What a reader byte by byte finds. */
function judge(bytes: Uint8Array, from: number, until: number): number {
  let at = from;
  while (at < until) {
    if (bytes[at] === QUOTE) return at + 1;
    at += bytes[at] === BACKSLASH ? 2 : 1;
  }
  return ~at;
}

/** Mostly backslashes and neighbours of the two bytes that count, few quotes. */
const BYTE = fc.oneof(
  { weight: 6, arbitrary: fc.constant(BACKSLASH) },
  { weight: 1, arbitrary: fc.constant(QUOTE) },
  { weight: 6, arbitrary: fc.constantFrom(0x21, 0x23, 0x5b, 0x5d, 0xa2, 0xdc, 0x00, 0xff, 0x61) },
);

test('are those of a reader byte by byte, wherever the bytes lie in memory', () => {
  fc.assert(
    fc.property(
      fc.array(BYTE, { maxLength: 60 }),
      fc.nat(7),
      fc.nat(20),
      fc.nat(20),
      (values, place, from, less) => {
        const memory = new Uint8Array(values.length + place + 9).fill(QUOTE);
        memory.set(values, place);
        const bytes = memory.subarray(place, place + values.length);
        const until = Math.max(0, bytes.length - less);
        expect(new ByteWords(bytes).afterString(from, until)).toBe(judge(bytes, from, until));
      },
    ),
    { numRuns: 5_000 },
  );
});

test('lie behind any number of escapes', () => {
  for (let count = 0; count < 40; count += 1) {
    const bytes = new TextEncoder().encode(`${'\\'.repeat(count)}" and "`);
    const end = count % 2 === 0 ? count + 1 : bytes.length;
    expect(new ByteWords(bytes).afterString(0, bytes.length), `${count}`).toBe(end);
  }
});
