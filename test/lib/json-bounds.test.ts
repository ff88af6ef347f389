import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBounded, MAX_ANSWER_DEPTH, tokensIn } from '../../src/lib/json-bounds.ts';

const ATOMS = ['{', '[', '}', ']', '"{"', '"[["', '"', '\\', ',', ':', '1', 'a', '\u00e9'] as const;

test('a text is bounded if its depth and its tokens are, however few brackets it has', () => {
  const text = fc
    .array(fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(1, 2, MAX_ANSWER_DEPTH)), { maxLength: 6 })
    .map((pieces) => pieces.map(([atom, times]) => atom.repeat(times)).join(''));
  fc.assert(
    fc.property(text, fc.constantFrom(0, 3, 50, 500_000), (written, most) => {
      expect(isBounded(written, most)).toBe(tokensIn(written, MAX_ANSWER_DEPTH) <= most);
    }),
    { numRuns: 500 },
  );
});

test.each([0, 1, -1])('the deepest answer is that of MAX_ANSWER_DEPTH levels (%i)', (more) => {
  const levels = MAX_ANSWER_DEPTH + more;
  expect(isBounded('['.repeat(levels) + ']'.repeat(levels))).toBe(more <= 0);
  expect(isBounded('{"a":'.repeat(levels) + 1 + '}'.repeat(levels))).toBe(more <= 0);
});
