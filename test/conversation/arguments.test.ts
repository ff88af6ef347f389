import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { argumentsObject, argumentsText, parseExact } from '../../src/conversation/rules/arguments.ts';

describe('arguments as an object', () => {
  test('an empty text means no arguments', () => {
    expect(argumentsObject('')).toEqual({});
    expect(argumentsObject('null')).toEqual({});
    expect(argumentsObject(' \n')).toEqual({});
  });

  test('a text that is not an object is kept whole', () => {
    expect(argumentsObject('{"city":"Par')).toEqual({ arguments: '{"city":"Par' });
    expect(argumentsObject('[1,2]')).toEqual({ arguments: '[1,2]' });
  });

  test.each(['8.062084639818997', '70204.89348734191', '1e-400', '1E400'])(
    '%s comes out as it went in',
    (number) => {
      const text = `{"x":${number}}`;
      expect(String(Number(number))).not.toBe(number);
      expect(JSON.stringify(argumentsObject(text))).toBe(text);
    },
  );

  test('a number of 19 digits comes out as it went in', () => {
    const text =
      '{"order":9007199254740993123,"sum":0.12345678901234567891,"n":12,"list":[1234567890123456789]}';
    expect(JSON.stringify(argumentsObject(text))).toBe(text);
    expect(argumentsText(argumentsObject(text))).toBe(text);
  });

  test('a key named __proto__ stays a key', () => {
    const object = argumentsObject('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(JSON.stringify(object)).toBe('{"__proto__":{"polluted":true}}');
  });

  test('an object that is too deep to serialise is kept as text', () => {
    const text = `{"a":${'['.repeat(9000)}${']'.repeat(9000)}}`;
    expect(argumentsObject(text)).toEqual({ arguments: text });
  });

  test('any text gives an object that JSON.stringify can write', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const written = JSON.stringify(argumentsObject(text));
        expect(written.startsWith('{')).toBe(true);
      }),
    );
  });
});

describe('arguments as text', () => {
  test('an empty object becomes an empty text', () => {
    expect(argumentsText({})).toBe('');
    expect(argumentsText(undefined)).toBe('');
    expect(argumentsText(null)).toBe('');
  });

  test('every object is the same after both directions', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const sent = JSON.parse(JSON.stringify(object));
        expect(argumentsObject(argumentsText(sent))).toEqual(sent);
      }),
    );
  });
});

test('exact parsing gives ordinary values if no digit could be lost', () => {
  expect(parseExact('{"a":[1,2.5,true,null,"x"],"id":"12345678901234567890"}')).toEqual({
    a: [1, 2.5, true, null, 'x'],
    id: '12345678901234567890',
  });
  expect(() => parseExact('{')).toThrow(SyntaxError);
});
