/** Which bytes of an answer carry content, and which only show that its vendor is alive. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WordReader } from '../../src/upstream/visible-words.ts';
import { growthOf, SQUARE } from '../support/cost.ts';

/** Whether any of the pieces carries content. */
function saysAWord(pieces: readonly string[], isEventStream = true): boolean {
  const words = new WordReader(isEventStream);
  return pieces.map((piece) => words.hasWord(new TextEncoder().encode(piece))).includes(true);
}

const SILENCE = [
  '\n',
  '\n\n\n',
  '\r\n\r\n',
  ':\n\n',
  ': OPENROUTER PROCESSING\n\n',
  `: ${'x'.repeat(4_000)}\n\n`,
  'event: ping\ndata: {"type": "ping"}\n\n',
  'event: ping\r\ndata: {"type": "ping"}\r\n\r\n',
  'event: ping\n\n',
  'event:ping\ndata:{}\n\n',
  'event: message_delta\n\n',
  'retry: 3000\n\n',
  'id: 7\n\n',
  'data:\n\n',
  'data\n\n',
  'data: \n\n',
  'data: {"type": "ping"}\n\n',
  'data: {"type":"ping"}\n\n',
  'unknown: field\n\n',
];

const WORDS = [
  'data: {"x":1}\n\n',
  'data:{"x":1}\n\n',
  'data: [DONE]\n\n',
  'data: x\n\n',
  '\ufeffdata: {"x":1}\n\n',
  'event: pong\ndata: {}\n\n',
  'event: ping\n\ndata: {"x":1}\n\n',
  'event: ping\ndata: {}\n\nevent: message_stop\ndata: {}\n\n',
  ': a\n\ndata: {"x":1}\n\n',
  'id: 1\r\nevent: message_stop\r\ndata: {"type":"message_stop"}\r\n\r\n',
  'event: a\rdata: {"x":1}\r\r',
];

test.each(SILENCE)('no content: %j', (text) => {
  expect(saysAWord([text])).toBe(false);
});

test.each(WORDS)('content: %j', (text) => {
  expect(saysAWord([text])).toBe(true);
});

test('just after content whole events pass unread, and the reader does not lose its place', () => {
  const words = new WordReader(true);
  const read = (text: string, isKnown: boolean) => words.hasWord(new TextEncoder().encode(text), isKnown);
  expect(read(': alive\n\n', true)).toBe(true);
  expect(read(': alive\n\n', false)).toBe(false);
  // What begins or ends within an event is read.
  expect(read('event: ping\n', true)).toBe(false);
  expect(read('data: {}\n\n', true)).toBe(false);
  expect(read('data: {"type"', true)).toBe(false);
  expect(read(': "ping"}\n\n', true)).toBe(false);
  expect(read('data: {"x":1}\n\n', false)).toBe(true);
});

test('law: silence stays silence and content stays content, whatever surrounds it and however it is cut', () => {
  const cutAt = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...SILENCE), { maxLength: 6 }),
      fc.option(fc.constantFrom(...WORDS.slice(0, 4)), { nil: '' }),
      fc.array(fc.constantFrom(...SILENCE), { maxLength: 6 }),
      cutAt,
      (before, word, after, cuts) => {
        const text = [...before, word, ...after].join('');
        const places = [
          0,
          ...cuts.map((cut) => Math.floor(cut * text.length)).sort((a, b) => a - b),
          text.length,
        ];
        const pieces = places.slice(1).map((end, at) => text.slice(places[at], end));
        expect(saysAWord(pieces), JSON.stringify(pieces)).toBe(word !== '');
      },
    ),
    { numRuns: 300 },
  );
});

test('each piece of a long event counts as content', () => {
  const words = new WordReader(true);
  const told = [`data: {"x":"${'y'.repeat(100)}`, 'y'.repeat(100), 'y'].map((piece) =>
    words.hasWord(Buffer.from(piece)),
  );
  expect(told).toEqual([true, true, true]);
});

test('in a body that is not an event stream, only white space is silence', () => {
  expect(saysAWord(['\n', '  \n', '\r\n\t'], false)).toBe(false);
  expect(saysAWord(['\n', '{'], false)).toBe(true);
  expect(saysAWord(['\n', '{"x":1', '\n\n'], false)).toBe(true);
  expect(saysAWord(['[', '\n'], false)).toBe(true);
  expect(saysAWord([': ping\n\n', ': ping\n\n'], false)).toBe(false);
});

test('the cost grows linearly with the bytes read', () => {
  for (const line of ['\n', ': x\n', '\r', 'data:\r\n', 'event: ping\n', ':', 'data: ', 'id: 1\n']) {
    expect(
      growthOf((size) => void saysAWord([line.repeat(size)]), 20_000),
      line,
    ).toBeLessThan(SQUARE);
  }
});
