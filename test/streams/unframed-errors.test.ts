/** Errors that stand in a stream outside of any event, whatever stands around them and however the stream is cut. */

import { describe, expect, test } from 'vitest';
import { decodeSse } from '../../src/streams/sse.ts';
import { run } from '../../src/streams/step.ts';

const ERROR = { error: { code: 503, message: 'A spike in demand.' } };
const LINE = JSON.stringify(ERROR);
const LINES = JSON.stringify(ERROR, undefined, 2);
const LONG_NOTE = `{"note":"${'x'.repeat(9_000)}"}\n`;

const GOOD = 'data: 1\n\n';
const STREAMS: readonly [name: string, text: string, data: readonly string[]][] = [
  ['behind an event', `${GOOD}${LINES}`, ['1', LINE]],
  ['behind an event without its empty line', `data: 1\n${LINES}\n`, ['1', LINE]],
  ['behind the name of an event', `event: x\n${LINE}\n\n`, [LINE]],
  ['behind a line that is an object', `{"note":1}\n${GOOD}${LINES}\n`, ['1', LINE]],
  [
    'behind several such lines',
    `{}\n${GOOD}{}\n${GOOD}{"error":null}\n${GOOD}${LINES}\n`,
    ['1', '1', '1', LINE],
  ],
  ['behind a long line that is an object', `${LONG_NOTE}${GOOD}${LINES}\n`, ['1', LINE]],
  ['behind another object', `{"note":1}\n${LINES}\n`, [LINE]],
  ['behind an object without an end', `{"note":\n${GOOD}${LINES}\n`, ['1', LINE]],
  ['before an event with an id', `${LINES}\n\nid: 1\n${GOOD}`, [LINE, '1']],
  ['before an event with a time', `${LINES}\n\nretry: 1\n${GOOD}`, [LINE, '1']],
  ['before a comment', `${LINES}\n\n: ping\n\n${GOOD}`, [LINE, '1']],
  ['twice', `${LINES}\n\n${GOOD}${LINES}`, [LINE, '1', LINE]],
];

const decode = (parts: readonly string[]): string[] =>
  [
    ...run(
      decodeSse(),
      parts.map((part) => Buffer.from(part)),
    ),
  ].map(({ data }) => data);

/** The parts of a text of so many characters each. */
const cut = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

describe.each(STREAMS)('%s', (_, text, data) => {
  describe.each(['\n', '\r\n'])('lines end in %j', (end) => {
    test.each([1, 2, 7, 100, 100_000])('in pieces of %d', (size) => {
      expect(decode(cut(text.replaceAll('\n', end), size))).toEqual(data);
    });
  });
});

test('an error is read when its empty line has come', () => {
  const step = decodeSse();
  const seen: string[] = [];
  step.transform(Buffer.from(`${LINES}\n\n`), { enqueue: ({ data }) => void seen.push(data) });
  expect(seen).toEqual([LINE]);
});
