import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { MAX_DEPTH, MAX_TOKENS, tokensIn } from '../../src/lib/json-bounds.ts';
import { scanObject } from '../../src/lib/json-scan.ts';
import { itemsOf } from '../../src/lib/scanned-values.ts';
import { scanText } from '../../src/pipeline/body/scanned.ts';

const scan = (text: string) => scanObject(Buffer.from(text));
const valuesOf = (text: string) => {
  const bytes = Buffer.from(text);
  return Object.fromEntries(
    [...scanObject(bytes).fields].map(([key, { start, end }]) => [key, bytes.toString('utf8', start, end)]),
  );
};

describe('scanObject', () => {
  test.each([
    ['{}', {}],
    [' {"a":1} ', { a: '1' }],
    ['\r\n{\r"a"\r:\r1\r,"b":\n2\n}\r', { a: '1', b: '2' }],
    ['{"a" :\t[1, {"model":"no"}] , "model": "yes"}', { a: '[1, {"model":"no"}]', model: '"yes"' }],
    ['{"mod\\u0065l":"x"}', { model: '"x"' }],
    ['{"a":"\\"}{","b":"\\\\","c":"\\\\\\""}', { a: '"\\"}{"', b: '"\\\\"', c: '"\\\\\\""' }],
    [
      `{"long":"${'x'.repeat(40)}\\"${'y'.repeat(40)}\\\\","b":null}`,
      { long: `"${'x'.repeat(40)}\\"${'y'.repeat(40)}\\\\"`, b: 'null' },
    ],
    ['{"n":1e400,"m":-0,"o":12345678901234567890}', { n: '1e400', m: '-0', o: '12345678901234567890' }],
    ['{"__proto__":{"x":1}}', { ['__proto__']: '{"x":1}' }],
  ])('finds the top-level values of %s', (text, values) => {
    expect(Object.entries(valuesOf(text))).toEqual(Object.entries(values));
  });

  test.each([
    '',
    'null',
    '[]',
    '"x"',
    '1',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":}',
    '{"a":1}}',
    '{"a":1} x',
    '{"a":[}',
    '{"a":[1}',
    '{"a":[1}}',
    '{"a":{"b":1]}',
    '{a:1}',
    '{"a" 1}',
    '{"a"x1}',
    '{"a":1 "b":2 "c"',
    '{:1}',
    '{"a"::1}',
    '{"a":1:2}',
    '{"\\x":1}',
    '{"a":"x',
    '{foo}',
    '{{}}',
    '{[]}',
  ])('refuses %s', (text) => {
    expect(() => scan(text)).toThrow(GatewayError);
  });

  test('refuses a duplicate top-level key, however it is spelled', () => {
    expect(() => scan('{"model":"a","model":"b"}')).toThrow('the key "model" twice');
    expect(() => scan('{"model":"a","mo\\u0064el":"b"}')).toThrow('the key "model" twice');
    expect(() => scan('{"a":{"x":1,"x":2}}')).not.toThrow();
    // The error is one line of text: without characters that a terminal would obey, and truncated.
    const odd = JSON.stringify(`\u001b[1mé"${'x'.repeat(100)}`);
    const shown = `?[1m??${'x'.repeat(64 - 6)}`;
    expect(() => scan(`{${odd}:1,${odd}:2}`)).toThrow(`the key "${shown}" twice`);
  });

  test('quickly refuses input that is too deep, too large or not UTF-8', () => {
    expect(() => scan(`{"a":${'['.repeat(1_000_000)}`)).toThrow(`deeper than ${MAX_DEPTH}`);
    expect(() => scan(`{"a":[${'{},'.repeat(2_000_000)}{}]}`)).toThrow('JSON tokens');
    expect(() => scanText(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toThrow('UTF-8');
  });

  test('accepts as many tokens as the limit allows', () => {
    // Besides the commas, there are two brackets and a colon.
    const list = (commas: number): string => `{"a":[${'1,'.repeat(commas)}1]}`;
    expect(() => scan(list(MAX_TOKENS - 3))).not.toThrow();
    expect(() => scan(list(MAX_TOKENS - 2))).toThrow('JSON tokens');
  });

  test('finds the end of a string, wherever its quotes and backslashes are', () => {
    for (const before of [0, 1, 30, 61, 62, 63, 64, 65, 66, 1_000, 1_200]) {
      for (const [backslashes, quotes] of [
        [0, 1],
        [1, 0],
        [1, 1],
        [2, 1],
        [3, 2],
        [2_000, 1],
        [0, 2_000],
      ] as const) {
        for (const after of [0, 1, 70, 1_100]) {
          const a = `${'x'.repeat(before)}${'\\'.repeat(backslashes)}${'"'.repeat(quotes)}${'y'.repeat(after)}`;
          const found = valuesOf(JSON.stringify({ a: [a, a], b: a, c: 1 }));
          expect(found).toEqual({ a: JSON.stringify([a, a]), b: JSON.stringify(a), c: '1' });
        }
      }
    }
    for (const open of [
      `{"a":"${'x'.repeat(100)}`,
      `{"a":"${'x'.repeat(100)}\\"}`,
      `{"a":"${'\\"'.repeat(100)}`,
    ]) {
      expect(() => scan(open)).toThrow(GatewayError);
    }
  });

  test('finds strings and keys that stand across the pieces of the text, in bytes of every kind', () => {
    const text = 'é"\\\\"x\\'.repeat(20);
    for (let before = 65_300; before < 65_600; before += 7) {
      const object = { a: 'x'.repeat(before), [`${text}y`]: text, b: [text], c_with_a_long_name: 1, d: 'z' };
      const bytes = Buffer.from(JSON.stringify(object));
      for (const given of [bytes, new Uint8Array(bytes)]) {
        const values = Array.from(scanObject(given).fields, ([key, { start, end }]) => [
          key,
          bytes.toString('utf8', start, end),
        ]);
        expect(values).toEqual(Object.entries(object).map(([key, value]) => [key, JSON.stringify(value)]));
      }
    }
  });

  test('agrees with JSON.parse on every object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), fc.nat(4), (object, indent) => {
        const values = valuesOf(JSON.stringify(object, undefined, indent));
        expect(Object.entries(values).map(([key, text]) => [key, JSON.parse(text)])).toEqual(
          Object.entries(JSON.parse(JSON.stringify(object))),
        );
      }),
    );
  });

  test('throws only its own error, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          scanObject(Buffer.concat([Buffer.from('{"a":'), bytes]));
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
      }),
    );
  });
});

test.each([
  ['', 0],
  ['{}', 1],
  ['[1,2]', 2],
  ['{"a":{"b":[]}}', 5],
  ['"a,b:{[c"', 0],
  ['["\\",[{",1]', 2],
  ['["\\\\",[]]', 3],
])('the tokens of %s are %d', (text, tokens) => {
  expect(tokensIn(text)).toBe(tokens);
});

test.each([
  ['{"a":"{}"}', 4],
  ['{"a":"[","b":["{",{"c":"[1]"}]}', 11],
  [String.raw`{"a":" {}","b":"\n[","c":"\u007b}"}`, 19],
  ['{"a":"text {}","b":"","c":["1,{"],"{":1}', 0],
])('the strings of %s that may hold JSON have %d bytes', (text, bytes) => {
  expect(scan(text).nested).toBe(bytes);
});

test('finds the objects in the top-level lists, whatever they contain', () => {
  const items = ['{"a":[1,{"b":"],"}]}', '"x,\\"]"', '[{"c":1},[]]', '{}', '-1.5e3', 'null'];
  const bytes = Buffer.from(`{"w":{"a":[{}]},"x" : [ ${items.join(' ,\n')}\t] ,"y":[],"z":[{"a":{"b":{}}}]}`);
  const found = scanObject(bytes);
  const of = (key: string): string[] =>
    Array.from(itemsOf(found, found.fields.get(key) ?? { start: 0, end: 0 }), ({ start, end }) =>
      bytes.toString('utf8', start, end),
    );
  expect(of('w')).toEqual([]);
  expect(of('x')).toEqual([items[0], items[3]]);
  expect(of('y')).toEqual([]);
  expect(of('z')).toEqual(['{"a":{"b":{}}}']);
});

test('counts the members of all objects, also of those with a key twice', () => {
  expect(scan('{"a":1,"b":[{"c":1,"c":2},{}],"d":{"e":{"f":"g:h"}}}').members).toBe(7);
});

test('finds every number that JSON.stringify may write differently, and no short whole one', () => {
  const odd = ['-0', '1.0', '1e-400', '12345678901234567890', '0.7', '-1', '1234567890123456'];
  const text = `{"a":[${odd.join()},12,0,123456789012345],"b":"-0","c":{"d":${odd[0]}}}`;
  const { numbers } = scan(text);
  const found = numbers.flatMap((start, at) => (at % 2 === 0 ? [text.slice(start, numbers[at + 1])] : []));
  expect(found).toEqual([...odd, '-0']);
});
