import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArgumentScan } from '../../../src/formats/chat-completions/outbound/argument-scan.ts';
import { isObject, tryParseJson } from '../../../src/lib/json.ts';

test('an object is complete exactly at its closing brace, however it is cut', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(objects, fc.nat({ max: 2 }), fc.nat({ max: 5 }), (value, indent, size) => {
      const text = ` ${JSON.stringify(value, undefined, indent)}`;
      const scan = new ArgumentScan();
      for (let at = 0; at < text.length; at += size + 1) {
        const told = text.slice(0, at + size + 1);
        scan.add(text.slice(at, at + size + 1));
        expect(scan.isWhole()).toBe(isObject(tryParseJson(told)));
      }
    }),
  );
});

test.each(['', '  ', '{', '{"a":"}', '{"a":"\\"}', '[{}]', '"{}"', 'null', '{"a":[}'])(
  '%s is not whole',
  (text) => {
    const scan = new ArgumentScan();
    expect(scan.add(text)).toBe(text.length);
    expect(scan.isWhole()).toBe(false);
  },
);

test('text after a complete object changes nothing', () => {
  const scan = new ArgumentScan();
  expect(scan.add(' {"a":{}} {')).toBe(9);
  expect(scan.add('{')).toBe(0);
  expect(scan.isWhole()).toBe(true);
});

test('another object may follow an empty one that came in one piece', () => {
  const scan = new ArgumentScan();
  expect(scan.add(' { } {"a":1}')).toBe(4);
  expect([scan.isWhole(), scan.isEmpty()]).toEqual([true, true]);
  expect(scan.add('\n</tool_call>')).toBe(0);
  expect(scan.add(' {"a":1}')).toBe(8);
  expect([scan.isWhole(), scan.isEmpty()]).toEqual([true, false]);
  expect(scan.add('{}')).toBe(0);
});

test('none may follow an empty one that came in several pieces', () => {
  const scan = new ArgumentScan();
  for (const piece of ['{', '}']) expect(scan.add(piece)).toBe(1);
  expect(scan.add('{"a":1}')).toBe(0);
  expect(scan.isEmpty()).toBe(false);
});
