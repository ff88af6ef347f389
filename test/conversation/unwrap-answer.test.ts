/** A structured answer comes out of the object around it, however its text is cut. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OpenPart, ReplyEvent } from '../../src/conversation/reply.ts';
import { unwrapAnswer } from '../../src/conversation/unwrap-answer.ts';
import { run } from '../../src/streams/step.ts';

function eventsOf(pieces: readonly string[], kind: 'text' | 'refusal' = 'text'): ReplyEvent[] {
  const part: OpenPart = { kind };
  const deltas = pieces
    .filter((text) => text !== '')
    .map((text) => ({ type: 'part-delta' as const, choice: 0, index: 0, text }));
  const place = { choice: 0, index: 0 };
  return [{ type: 'part-start', ...place, part }, ...deltas, { type: 'part-end', ...place }];
}

function deltasOf(events: readonly ReplyEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'part-delta' ? [event.text] : []));
}

function unwrapped(pieces: readonly string[]): string {
  return deltasOf(run(unwrapAnswer(), eventsOf(pieces))).join('');
}

const LONG = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ at, text: `“${at}”` })));

describe.each<[string, string, string]>([
  ['a list', '{"answer":[1,{"a":"]}"},[]]}', '[1,{"a":"]}"},[]]'],
  ['an empty list', '{"answer":[]}', '[]'],
  ['a word', '{"answer":"yes"}', '"yes"'],
  ['an empty word', '{"answer":""}', '""'],
  ['escapes', '{"answer":"\\"}\\\\"}', '"\\"}\\\\"'],
  ['a number', '{"answer":-1.5e3}', '-1.5e3'],
  ['null', '{"answer": null }', 'null'],
  ['spaces', ' {\n "answer" : [ 1, 2 ]\n}\n', '[ 1, 2 ]'],
  ['a code fence', '```json\n{"answer":[1]}\n```', '[1]'],
  ['a second member', '{"answer":[1],"more":[2]}', '[1]'],
  ['an object with the member inside', '{"answer":{"answer":1}}', '{"answer":1}'],
  ['a long list', `{"answer":${LONG}}`, LONG],
  ['words', 'I cannot say.', 'I cannot say.'],
  ['words in braces', '{I cannot say}', '{I cannot say}'],
  ['nothing but spaces', ' \n', ' \n'],
  ['a list alone', '[{"answer":1}]', '[{"answer":1}]'],
  ['another object', '{"answers":[1]}', '{"answers":[1]}'],
  ['a member of a member', '{"a":{"answer":1}}', '{"a":{"answer":1}}'],
  ['a long beginning', `{${' '.repeat(200)}"answer":1}`, `{${' '.repeat(200)}"answer":1}`],
  ['cut before the member', '{"ans', ''],
  ['cut before the value', '{"answer": ', ''],
  ['cut in a list', '{"answer":[{"a":"b"},{"a"', '[{"a":"b"},{"a"'],
  ['cut after an object', '{"answer":[{"a":1}', '[{"a":1}'],
  ['cut in an escape', '{"answer":"a\\', '"a\\'],
])('%s', (_, text, expected) => {
  test('whole', () => expect(unwrapped([text])).toBe(expected));
  test('in single characters', () => expect(unwrapped([...text])).toBe(expected));
});

test('any value comes out as JSON.stringify writes it, wherever the text is cut', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.nat({ max: 200 })), fc.boolean(), (value, places, isSpaced) => {
      const inner = JSON.stringify(value);
      const text = isSpaced ? `{ "answer" : ${inner} }` : JSON.stringify({ answer: value });
      const cuts = [0, ...places.map((at) => at % (text.length + 1)).sort((a, b) => a - b), text.length];
      const pieces = cuts.slice(1).map((end, at) => text.slice(cuts[at], end));
      expect(unwrapped(pieces)).toBe(inner);
    }),
  );
});

test('any text comes out the same, wherever it is cut', () => {
  const word = fc.constantFrom('{', '}', '"answer"', '"', ':', ',', '[', ']', ' ', '```', 'json', '\\', '1');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (words) => {
      const text = words.join('');
      expect(unwrapped([...text])).toBe(unwrapped([text]));
      expect(unwrapped(words)).toBe(unwrapped([text]));
    }),
  );
});

test('a value passes on as it comes', () => {
  const pieces = ['{"answer":', '[1,', '2', ']', '}'];
  expect(deltasOf(run(unwrapAnswer(), eventsOf(pieces)))).toEqual(['[1,', '2', ']']);
});

test('words pass on as they come', () => {
  const events = eventsOf(['I ', 'cannot ', 'say.']);
  expect(run(unwrapAnswer(), events)).toEqual(events);
});

test('a refusal stays as it is', () => {
  const events = eventsOf(['{"answer":', '1}'], 'refusal');
  expect(run(unwrapAnswer(), events)).toEqual(events);
});

test('choices that interleave stay apart', () => {
  const at = (choice: number): ReplyEvent[] =>
    eventsOf(['{"answer":', `[${choice}`, ']}']).map((event) =>
      'choice' in event ? { ...event, choice } : event,
    );
  const [first, second] = [at(0), at(1)];
  const events = first.flatMap((event, place) => [event, ...second.slice(place, place + 1)]);
  const made = run(unwrapAnswer(), events);
  const textOf = (choice: number): string =>
    deltasOf(made.filter((event) => 'choice' in event && event.choice === choice)).join('');
  expect([textOf(0), textOf(1)]).toEqual(['[0]', '[1]']);
});

test('a source has no place in a text that the caller does not get', () => {
  const citation = { url: 'https://example.com/', start: 3, end: 5 };
  const detail: ReplyEvent = { type: 'part-detail', choice: 0, index: 0, citation };
  const [start, ...rest] = eventsOf(['{"answer":[1]}']);
  const events = [...(start ? [start] : []), ...rest.slice(0, 1), detail, ...rest.slice(1)];
  expect(run(unwrapAnswer(), events)).toContainEqual({
    ...detail,
    citation: { url: 'https://example.com/' },
  });
});
