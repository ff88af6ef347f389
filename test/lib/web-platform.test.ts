/** The replacements for Node's functions, used by the wings that run without Node, return what Node returns. */

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equalJson } from '../../src/lib/equal-json.ts';
import { sha256 } from '../../src/lib/sha256.ts';
import { base64OfText, textOfBase64, utf8Bytes, utf8Length } from '../../src/lib/utf8.ts';

const texts = fc.string({ unit: 'binary', maxLength: 300 });

test("SHA-256 equals Node's, for every length of the last block", () => {
  for (let length = 0; length <= 130; length += 1) {
    const text = 'é'.repeat(length);
    expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
  }
  fc.assert(fc.property(texts, (text) => sha256(text) === createHash('sha256').update(text).digest('hex')));
});

test("UTF-8 and base64 equal Node's", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const buffer = Buffer.from(text, 'utf8');
      expect(utf8Length(text)).toBe(buffer.length);
      expect(utf8Bytes(text)).toEqual([...buffer]);
      expect(base64OfText(text)).toBe(buffer.toString('base64'));
      expect(textOfBase64(buffer.toString('base64'))).toBe(buffer.toString('utf8'));
      expect(textOfBase64(buffer.toString('base64url'))).toBe(buffer.toString('utf8'));
    }),
  );
  expect(base64OfText('x'.repeat(1_000_000))).toBe(Buffer.from('x'.repeat(1_000_000)).toString('base64'));
  for (const broken of ['aGk', 'aG k=\n', 'a', '', '=', 'aGk=*', 'YQ==YQ==']) {
    expect(textOfBase64(broken), broken).toBe(
      Buffer.from(broken.replaceAll('=', ''), 'base64').toString('utf8'),
    );
  }
});

test('two values are equal JSON if Node finds them deeply equal, whatever the order of their members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(equalJson(one, structuredClone(one))).toBe(true);
      expect(equalJson(one, other)).toBe(isDeepStrictEqual(one, other));
    }),
  );
  expect(equalJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
  expect(equalJson([1, 2], { 0: 1, 1: 2 })).toBe(false);
  expect(equalJson({ a: JSON.rawJSON('1e400') }, { a: JSON.rawJSON('1e400') })).toBe(true);
  expect(equalJson({ a: JSON.rawJSON('1e400') }, { a: JSON.rawJSON('2e400') })).toBe(false);
});
