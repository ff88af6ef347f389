import { expect, test } from 'vitest';
import {
  asObject,
  isEmpty,
  type JsonObject,
  mapFields,
  otherFields,
  parseJson,
  wellFormed,
} from '../../src/lib/json.ts';

const parsed = (text: string): JsonObject => asObject(parseJson(text)) ?? {};
const NAMES = new Set(['role', 'content']);

test('other fields are those that are not named, and one empty object if there are none', () => {
  expect(otherFields({ role: 'user', x: null, content: 'a', y: [1] }, NAMES)).toEqual({ x: null, y: [1] });
  expect(otherFields({ role: 'user' }, NAMES)).toBe(otherFields({ content: 'a' }, NAMES));
  expect(isEmpty(otherFields({ role: 'user' }, NAMES))).toBe(true);
});

test('__proto__ is a field like any other', () => {
  const text = '{"role":"user","__proto__":{"a":1}}';
  expect(JSON.stringify(otherFields(parsed(text), NAMES))).toBe('{"__proto__":{"a":1}}');
  expect(JSON.stringify(mapFields(parsed(text), (value) => (value === 'user' ? 'system' : value)))).toBe(
    '{"role":"system","__proto__":{"a":1}}',
  );
});

test('fields change in their places, and an object of which none changes is the same object', () => {
  const object = { a: 1, b: 2, c: 3 };
  expect(mapFields(object, (value) => value)).toBe(object);
  expect(JSON.stringify(mapFields(object, (value, name) => (name === 'b' ? 'x' : value)))).toBe(
    '{"a":1,"b":"x","c":3}',
  );
});

test('lone halves of surrogate pairs are replaced wherever they are, and nothing else is', () => {
  const fillings = [
    '',
    'x'.repeat(5_000),
    '\\n'.repeat(40),
    '\n'.repeat(5_000),
    'C:\\udev\\ud83d \u0001'.repeat(9),
  ];
  for (const before of fillings) {
    for (const after of fillings) {
      const sound = `${before}\u{1f600}é${after}`;
      expect(wellFormed(JSON.stringify(sound))).toBe(JSON.stringify(sound));
      for (const half of ['\ud83d', '\udc00', '\udfff']) {
        expect(wellFormed(JSON.stringify(`${before}${half}${after}`))).toBe(
          JSON.stringify(`${before}\ufffd${after}`),
        );
      }
    }
  }
});
