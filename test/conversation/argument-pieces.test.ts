import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArgumentPieces } from '../../src/conversation/rules/argument-pieces.ts';

function joined(sent: readonly string[]): string {
  const pieces = new ArgumentPieces();
  return sent.map((piece) => pieces.add(piece)).join('');
}

/** Objects with lists and objects of the same keys inside, which look like a repetition where they are cut. */
const { object } = fc.letrec<{ object: object; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(1, '', '{"', 'a', '\\'),
    fc.array(tie('object')),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom('a', '{', '"', ''), tie('value'), { maxKeys: 2 }),
}));

test('pieces of any object pass as they are, however it is cut', () => {
  fc.assert(
    fc.property(object, fc.nat({ max: 1 }), fc.array(fc.nat({ max: 9 })), (value, indent, sizes) => {
      const text = JSON.stringify(value, undefined, indent);
      const ends = sizes.map((_, at) => sizes.slice(0, at + 1).reduce((sum, size) => sum + size, 0));
      const sent = [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end));
      expect(joined(sent)).toBe(text);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['', '{"q', '{"q": "he', '{"q": "he', '{"q": "hello"}', '{"q": "hello"}'],
  ['{', '{"q": "hello"}'],
  ['{"', '{"q": "hello"}'],
  ['{"q"', '{"q": "hel', '{"q": "hello"}'],
  ['{"q": "hello"', '{"q": "hello"}'],
])('%j, … are one object, of which each piece repeats all before it', (...sent) => {
  expect(joined(sent)).toBe('{"q": "hello"}');
});

test('a tree that begins again inside itself is no repetition', () => {
  expect(joined(['{"a":[', '{"a":[]}]}'])).toBe('{"a":[{"a":[]}]}');
  expect(joined(['{"a":', '{"a":1}}'])).toBe('{"a":{"a":1}}');
});
