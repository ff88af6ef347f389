/** Long bodies are scanned, and counted, in pieces that are cut anywhere. The result is that of the whole. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokensOfRequest } from '../../src/accounting/usage/output-estimate.ts';
import { ByteAccumulator } from '../../src/lib/byte-accumulator.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { scanInSteps, scanObject } from '../../src/lib/json-scan.ts';
import type { ObjectScan } from '../../src/lib/object-scan.ts';
import { growthOf, SQUARE } from '../support/cost.ts';

/** Runs all steps. @returns what was found, or the error; and how many steps there were. */
function scan(
  bytes: Buffer,
  stretch: number,
): { readonly found: ObjectScan | string; readonly steps: number } {
  const work = scanInSteps(bytes, stretch);
  for (let steps = 1; ; steps++) {
    try {
      const { done, value } = work.next();
      if (done) return { found: value, steps };
    } catch (error) {
      if (error instanceof GatewayError) return { found: error.message, steps };
      throw error;
    }
  }
}

function whole(bytes: Buffer): ObjectScan | string {
  try {
    return scanObject(bytes);
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
}

const atom = fc.constantFrom(
  ...'{}[]:,"\\ \n-.0123456789aé',
  '\\"',
  '\\\\',
  '"a":',
  '"model":"x",',
  '"'.repeat(3),
);

describe('a scan in steps', () => {
  test('finds the same as a scan of the whole, wherever its steps end', () => {
    const long = fc
      .tuple(fc.constantFrom('\\\\', '\\"', 'x', 'é', '\\u0041'), fc.integer({ min: 1, max: 900 }))
      .map(([unit, times]) => unit.repeat(times));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        long,
        fc.double(),
        fc.dictionary(fc.string(), tie('any'), { maxKeys: 4 }),
        fc.array(tie('any'), { maxLength: 4 }),
      ),
    })).any;
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), value, { maxKeys: 5 }),
        fc.integer({ min: 2, max: 300 }),
        fc.constantFrom(undefined, 1),
        (object, stretch, space) => {
          const bytes = Buffer.from(JSON.stringify(object, undefined, space));
          expect(scan(bytes, stretch).found).toEqual(whole(bytes));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('accepts and refuses the same, whatever the bytes are', () => {
    fc.assert(
      fc.property(
        fc.array(atom, { maxLength: 30 }).map((atoms) => Buffer.from(`{"a":${atoms.join('')}}`)),
        fc.integer({ min: 2, max: 9 }),
        (bytes, stretch) => {
          expect(scan(bytes, stretch).found).toEqual(whole(bytes));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test('passes a stretch in each step, also within a string', () => {
    const bytes = Buffer.from(JSON.stringify({ a: 'x'.repeat(10_000), b: '\\'.repeat(5_000), c: [1, 2, 3] }));
    const { steps } = scan(bytes, 1_000);
    expect(steps).toBeGreaterThan(bytes.length / 1_000 - 1);
    expect(steps).toBeLessThan(bytes.length / 1_000 + 2);
  });

  test.each(['\\', '"', '\\"', '\\\\', 'x', '{}', ' ', '1'])(
    'costs four times as much for four times the bytes: %s',
    (unit) => {
      const growth = growthOf((size) => {
        scan(Buffer.from(`{"a":"${unit.repeat(size)}","b":[${unit.repeat(size)}]}`), 64);
        scan(Buffer.from(`{"a":"${unit.repeat(size)}`), 64);
      }, 20_000);
      expect(growth).toBeLessThan(SQUARE);
    },
  );
});

describe('bytes that grow in place', () => {
  test('are those that came', () => {
    const pieces = Array.from({ length: 300 }, (_, at) => Buffer.alloc(20_000 + at, at));
    const body = new ByteAccumulator(8e6, 0, true);
    for (const piece of pieces) body.add(piece);
    expect(body.size()).toBe(300 * 20_000 + (299 * 300) / 2);
    expect(Buffer.concat(pieces).equals(body.whole())).toBe(true);
  });

  test('hold a megabyte more than what has come, at most', () => {
    const body = new ByteAccumulator(32e6, 0, true);
    for (let at = 0; at < 400; at++) {
      body.add(Buffer.alloc(64 * 1024));
      expect(body.held()).toBeLessThanOrEqual(Math.max(2 * body.size(), body.size() + 1024 * 1024));
      if (body.size() > 2 * 1024 * 1024) expect(body.held()).toBeLessThanOrEqual(body.size() + 1024 * 1024);
    }
  });

  test('cost four times as much if there are four times as many', () => {
    const piece = Buffer.alloc(16 * 1024, 'a');
    const growth = growthOf((size) => {
      const body = new ByteAccumulator(64e6, 0, true);
      for (let came = 0; came < size; came += piece.length) body.add(piece);
    }, 4e6);
    expect(growth).toBeLessThan(SQUARE);
  });
});

test('the tokens of a request are the same in pieces, if only its files are cut, after their first part', () => {
  const file = 'iVBORw0KGgo'.repeat(1_000);
  const text = `{"messages":[{"content":"What is it? ${'Well. '.repeat(900)}"},{"image":"${file}"},{"image":"${file}","more":"${'word '.repeat(500)}"}]}`;
  const bytes = Buffer.from(text);
  const [first, second] = [text.indexOf(file) + 4_096, text.lastIndexOf(file) + 5_000];
  const pieces = [
    bytes.subarray(0, first),
    bytes.subarray(first, first + 100),
    bytes.subarray(first + 100, second),
    bytes.subarray(second),
  ];
  expect(tokensOfRequest(...pieces)).toBe(tokensOfRequest(bytes));
});
