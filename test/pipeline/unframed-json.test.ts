/** A whole answer whose end only its connection marks: it is cut wherever a string or a bracket is open. */

import { describe, expect, test } from 'vitest';
import { watchUnframed } from '../../src/pipeline/reply/unframed-json.ts';

const HEADERS = { 'content-type': 'application/json' };

const ANSWERS = [
  JSON.stringify({ text: 'a "quoted" \\ word', list: [{ brackets: '{[\\"' }, []], last: '\\' }),
  // Each string is longer than a search goes byte by byte.
  JSON.stringify({ dense: '\\"'.repeat(700), plain: `${'x'.repeat(3000)}"]}`, end: '\\\\' }),
  '"a text alone \\\\"',
];

/** Passes the bytes in pieces of a length. @returns what comes out, or undefined if the answer counts as cut. */
function passed(bytes: Uint8Array, length: number): Uint8Array | undefined {
  const watch = watchUnframed(HEADERS);
  const out: Uint8Array[] = [];
  const sink = { enqueue: (piece: Uint8Array) => void out.push(piece) };
  for (let at = 0; at < bytes.length; at += length) {
    watch?.transform(bytes.subarray(at, at + length), sink);
    watch?.transform(new Uint8Array(0), sink);
  }
  try {
    watch?.flush?.(sink);
  } catch {
    return undefined;
  }
  return Buffer.concat(out);
}

describe.each([1, 2, 3, 7, 64, 1000, 10_000])('in pieces of %i bytes', (length) => {
  test.each(ANSWERS)(
    'an answer passes unchanged if it is whole, and no part of it counts as whole',
    (answer) => {
      const bytes = Buffer.from(answer);
      expect(passed(bytes, length)).toEqual(bytes);
      // A prime number, so that cuts fall on every place of what repeats.
      const apart = bytes.length > 1000 ? 53 : 1;
      const cuts = Array.from({ length: Math.ceil(bytes.length / apart) }, (_, at) => at * apart);
      expect(cuts.filter((end) => passed(bytes.subarray(0, end), length) !== undefined)).toEqual([]);
    },
  );
});
