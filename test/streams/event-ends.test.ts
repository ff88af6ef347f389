/** The ends of events, compared with a regular expression over all bytes at once. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventEnds, endsEvent, eventEndSearch, lastEventEnd } from '../../src/streams/event-ends.ts';
import { growthOf, SQUARE } from '../support/cost.ts';

/** An empty line: a CR in front of a LF belongs to it. */
const END = /(?<=\n\r?\n|\r\r)/g;

const pieces = fc.array(
  fc
    .array(fc.constantFrom('\n', '\r', '\r\n', '\n\n', 'data: x', ':'), { maxLength: 6 })
    .map((all) => all.join('')),
  { maxLength: 8 },
);

function endsIn(text: string): readonly number[] {
  return Array.from(text.matchAll(END), ({ index }) => index);
}

test('the search finds every end of an event, in order', () => {
  fc.assert(
    fc.property(pieces, (all) => {
      const text = all.join('');
      const search = eventEndSearch(Buffer.from(text));
      const found: number[] = [];
      for (let end = search(0); end >= 0; end = search(end)) found.push(end);
      expect(found).toEqual(endsIn(text));
    }),
  );
});

test('the last end is the last of these, and an event ends there', () => {
  fc.assert(
    fc.property(pieces, (all) => {
      const text = all.join('');
      const last = endsIn(text).at(-1) ?? -1;
      expect(lastEventEnd(Buffer.from(text))).toBe(last);
      expect(endsEvent(Buffer.from(text))).toBe(last > 0 && last === text.length);
    }),
  );
});

test('in pieces, an end counts in the piece where its last byte is', () => {
  fc.assert(
    fc.property(pieces, (all) => {
      const ends = new EventEnds();
      let passed = '';
      for (const piece of all) {
        const inPiece = endsIn(passed + piece)
          .filter((end) => end > passed.length)
          .map((end) => end - passed.length);
        const bytes = Buffer.from(piece);
        expect(ends.first(bytes)).toBe(inPiece[0] ?? -1);
        expect(ends.last(bytes)).toBe(inPiece.at(-1) ?? -1);
        ends.pass(bytes);
        passed += piece;
      }
    }),
  );
});

test.each(['\n', '\r', '\r\n', 'x', 'x\n', 'x\r', 'x\n\n', 'x\r\r'])(
  'the cost of %j many times grows with the length',
  (unit) => {
    const search = (size: number): void => {
      const bytes = Buffer.from(unit.repeat(size));
      const find = eventEndSearch(bytes);
      for (let end = find(0); end >= 0; end = find(end));
      lastEventEnd(bytes);
    };
    expect(growthOf(search, 50_000)).toBeLessThan(SQUARE);
  },
);
