import { expect, test } from 'vitest';
import {
  asObject,
  compact,
  isEmpty,
  type JsonObject,
  mapFields,
  otherFields,
  parseJson,
  presentFields,
  splitFields,
  withFirst,
  withoutFields,
  withoutNulls,
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

test.each([
  [
    'withoutNulls',
    (object: JsonObject) => withoutNulls(object),
    '{"role":"user","__proto__":{"a":1},"x":[1]}',
  ],
  [
    'withoutFields',
    (object: JsonObject) => withoutFields(object, ['y', 'x']),
    '{"role":"user","__proto__":{"a":1}}',
  ],
  [
    'splitFields, named',
    (object: JsonObject) => splitFields(object, new Set(['__proto__']))[0],
    '{"__proto__":{"a":1}}',
  ],
  [
    'splitFields, others',
    (object: JsonObject) => splitFields(object, NAMES)[1],
    '{"__proto__":{"a":1},"y":null,"x":[1]}',
  ],
  [
    'compact',
    (object: JsonObject) => compact({ ...object, z: undefined }),
    '{"role":"user","__proto__":{"a":1},"y":null,"x":[1]}',
  ],
])('%s keeps it too, in its place', (_, change, changed) => {
  const object = parsed('{"role":"user","__proto__":{"a":1},"y":null,"x":[1]}');
  expect(JSON.stringify(change(object))).toBe(changed);
  expect(JSON.stringify(object)).toBe('{"role":"user","__proto__":{"a":1},"y":null,"x":[1]}');
});

test('present fields are those named that have a value', () => {
  expect(presentFields({ a: 1, b: null, c: 'x' }, ['c', 'b', 'd', 'a'])).toEqual({ a: 1, c: 'x' });
  expect(presentFields({ a: 1 }, ['b'])).toBe(presentFields({}, []));
});

test('fields that stand first give way to those of the same name', () => {
  const own = { a: 1, b: 2 };
  expect(withFirst({}, own)).toBe(own);
  expect(JSON.stringify(withFirst({ c: 3, b: 4 }, own))).toBe('{"c":3,"b":2,"a":1}');
});

test('fields change in their places, and an object of which none changes is the same object', () => {
  const object = { a: 1, b: 2, c: 3 };
  expect(mapFields(object, (value) => value)).toBe(object);
  expect(JSON.stringify(mapFields(object, (value, name) => (name === 'b' ? 'x' : value)))).toBe(
    '{"a":1,"b":"x","c":3}',
  );
});
