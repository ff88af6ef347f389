import { expect, test } from 'vitest';
import { asObject, isEmpty, type JsonObject, mapFields, otherFields, parseJson } from '../../src/lib/json.ts';

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
