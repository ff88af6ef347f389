import { expect, test } from 'vitest';
import { MAX_TOKENS } from '../../src/lib/json-bounds.ts';
import { parseBody } from '../../src/pipeline/body/parse-body.ts';
import { scanned } from '../../src/pipeline/body/scanned.ts';

const list = `[${'1,'.repeat(MAX_TOKENS / 2)}1]`;

test.each([
  ['plain', ''],
  ['behind a space', ' '],
  ['behind escapes', '\n\t\r\n '],
])('texts that hold too much JSON together are refused: %s', (_, before) => {
  const texts = [`${before}${list}`, `${before}${list}`];
  expect(() => parseBody(scanned(Buffer.from(JSON.stringify({ texts }))))).toThrow('JSON tokens');
  expect(() => parseBody(scanned(Buffer.from(JSON.stringify({ texts: texts.slice(1) }))))).not.toThrow();
});

test('a text that begins with its bracket escaped counts too', () => {
  const text = `"\\u005b${list.slice(1)}"`;
  expect(() => parseBody(scanned(Buffer.from(`{"texts":[${text},${text}]}`)))).toThrow('JSON tokens');
});

test('texts that are no JSON may be as long as they like', () => {
  const texts = [`Numbers: ${list}`, `Numbers: ${list}`];
  expect(parseBody(scanned(Buffer.from(JSON.stringify({ texts }))))).toEqual({ texts });
});
