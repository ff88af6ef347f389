/** Keys with escapes, which JSON.parse of some Nodes reads as others once an object has had a key with a backslash. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExact } from '../../src/conversation/rules/arguments.ts';
import { hasEscapedKey, parseByTokens } from '../../src/lib/escaped-keys.ts';
import { type Json, parseJson } from '../../src/lib/json.ts';
import { scanObject } from '../../src/lib/json-scan.ts';

/** Writes a text as a JSON string in which every character is an escape. */
const escaped = (text: string): string =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;

/** Writes a value as JSON, each key in the way that `key` writes it. */
function write(value: Json | undefined, key: (text: string) => string): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, key)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, inner]) => `${key(name)}:${write(inner, key)}`);
  return `{${members.join(',')}}`;
}

describe.each<[string, (text: string) => unknown]>([
  ['parseJson', parseJson],
  ['parseExact', parseExact],
  ['parseByTokens', parseByTokens],
])('%s', (_, parse) => {
  test('reads a key as it is written, whatever keys there have been', () => {
    parse('{"h":[],"\\\\":0}');
    expect(Object.keys(Object(parse('{"h":1,"\\"":2}')))).toEqual(['h', '"']);
    parse('{"model":[],"fallback\\\\":0}');
    expect(parse('{"model":"a","fallback\\u0073":["b"]}')).toEqual({ model: 'a', fallbacks: ['b'] });
    parse('{"model":[],"\\\\u0066allb":0}');
    expect(parse('{ "model" : "a" , "\\u0066allbacks" : [ "b" ] }')).toEqual({
      model: 'a',
      fallbacks: ['b'],
    });
  });

  test('reads every value, with keys of backslashes, quotes and escapes', () => {
    const unit = fc.constantFrom(...'ab\\"\n\u00e9\u0000');
    const key = fc.string({ unit, maxLength: 3 });
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Json[]>(null, true, false, 0, -1.5, 1e-7, '', '{"a":1}'),
        fc.string({ unit, maxLength: 4 }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ),
    }));
    const ways = fc.constantFrom(JSON.stringify, escaped);
    fc.assert(
      fc.property(value, ways, (written, way) => {
        expect(parse(write(written, way))).toEqual(written);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(['{"a\\n":1', '{"a\\n":}', '{"a\\n" 1}', '{"a\\x":1}', '{"a\\n":01}', '{"a\\n":1}}', ''])(
    '%s is no JSON',
    (text) => {
      expect(() => parse(text)).toThrow(SyntaxError);
    },
  );

  test('the prototype is a key like another, and the last of equal keys counts', () => {
    const value = Object(parse('{"__proto__":{"a":1},"b\\n":1,"c":2,"b\\n":3}'));
    expect(Object.entries(value)).toEqual([
      ['__proto__', { a: 1 }],
      ['b\n', 3],
      ['c', 2],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

test('numbers keep their spelling beside an escaped key', () => {
  const text = '{"a\\n":1.0,"b":[12345678901234567890,-0,2]}';
  expect(JSON.stringify(parseExact(text))).toBe(text);
});

test.each<[string, boolean]>([
  ['{"a":"b\\n"}', false],
  ['["a\\n","b\\n"]', false],
  ['{"a":"x,\\"y\\":1"}', false],
  ['{"a":"{\\"b\\\\n\\":1}"}', false],
  ['{"a":["x\\\\","y"],"c":1}', false],
  ['{"a\\n":1}', true],
  ['{ "a" : { "b" : 1 , "\\u0063" : 2 } }', true],
  ['[{"\\\\":1}]', true],
  ['{"a":"\\\\","b\\"":1}', true],
])('a key of %s has an escape: %j', (text, expected) => {
  expect(hasEscapedKey(text)).toBe(expected);
});

test('a scan finds every key with an escape, or says that it does not know', () => {
  const space = fc.constantFrom('', ' ', '\n  ');
  const word = fc.constantFrom('"a"', '"a\\n"', '"\\\\"', '"b\\"c"', '"é"');
  const body = fc
    .array(fc.tuple(word, word, space, space), { maxLength: 4 })
    .map((members) =>
      members.map(([key, text, one, two], at) => `${one}"k${at}":{${key}${two}:${one}[${text}]}`).join(','),
    );
  fc.assert(
    fc.property(body, (members) => {
      const text = `{${members}}`;
      const { hasEscapedKey: found } = scanObject(Buffer.from(text));
      if (found !== undefined) expect(found || !hasEscapedKey(text)).toBe(true);
    }),
  );
});
