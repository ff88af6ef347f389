/** Where an answer is cut at a stop sequence, however its text is split. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReplyEvent } from '../../src/conversation/reply.ts';
import { StopWatcher } from '../../src/conversation/stop-at.ts';
import { run } from '../../src/streams/step.ts';

const place = { choice: 0, index: 0 } as const;
const START: ReplyEvent = { type: 'part-start', ...place, part: { kind: 'text' } };
const END: ReplyEvent = { type: 'part-end', ...place };
const FINISH: ReplyEvent = { type: 'choice-end', choice: 0, finish: 'length', native: 'LENGTH' };
const said = (text: string): ReplyEvent => ({ type: 'part-delta', ...place, text });

const cut = (stops: readonly string[], pieces: readonly string[]): ReplyEvent[] =>
  run(new StopWatcher(stops), [START, ...pieces.map(said), END, FINISH]);

const textOf = (events: readonly ReplyEvent[]): string =>
  events.map((event) => (event.type === 'part-delta' ? event.text : '')).join('');

/** Stops as a vendor does: character by character, until the text ends with a sequence. */
function expected(stops: readonly string[], text: string): { text: string; stop?: string } {
  for (let end = 1; end <= text.length; end += 1) {
    const ended = stops.filter((stop) => text.slice(0, end).endsWith(stop));
    const stop = ended.toSorted((one, other) => other.length - one.length)[0];
    if (stop !== undefined) return { text: text.slice(0, end - stop.length), stop };
  }
  return { text };
}

test('the text is the same however it is split, and the matched sequence is reported', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.array(word, { maxLength: 8 }),
      (stops, pieces) => {
        const events = cut(stops, pieces);
        const { text, stop } = expected(stops, pieces.join(''));
        expect(textOf(events)).toBe(text);
        expect(events.filter(({ type }) => type === 'part-start')).toHaveLength(text === '' && stop ? 0 : 1);
        expect(events.filter(({ type }) => type === 'part-end')).toHaveLength(text === '' && stop ? 0 : 1);
        expect(events.at(-1)).toEqual(
          stop === undefined
            ? FINISH
            : { type: 'choice-end', choice: 0, finish: 'stop-sequence', stopSequence: stop },
        );
      },
    ),
  );
});

test('text that cannot begin a sequence is sent at once, and held text as soon as it can no longer match', () => {
  const step = new StopWatcher(['END']);
  const heard = (event: ReplyEvent): string => textOf(run(step, [event]));
  expect([START, said('to the E'), said('N'), said('trance'), END].map(heard)).toEqual([
    '',
    'to the ',
    '',
    'ENtrance',
    '',
  ]);
});

test('thinking and calls are not searched, but nothing after the end is sent', () => {
  const thought: readonly ReplyEvent[] = [
    { type: 'part-start', ...place, part: { kind: 'thinking' } },
    said('an END in thought'),
    END,
  ];
  const call: readonly ReplyEvent[] = [
    { type: 'part-start', choice: 0, index: 2, part: { kind: 'tool-call', id: 'c', name: 'f' } },
    { type: 'part-end', choice: 0, index: 2 },
  ];
  const usage: ReplyEvent = { type: 'usage', usage: { output: 9 } };
  const over: ReplyEvent = { type: 'reply-end' };
  const events = run(new StopWatcher(['END']), [
    ...thought,
    START,
    said('so END or'),
    END,
    ...call,
    usage,
    FINISH,
    over,
  ]);
  expect(events).toEqual([
    ...thought,
    START,
    said('so '),
    END,
    usage,
    { type: 'choice-end', choice: 0, finish: 'stop-sequence', stopSequence: 'END' },
    over,
  ]);
  expect(run(new StopWatcher(['END']), call)).toEqual(call);
});
