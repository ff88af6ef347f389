import { describe, expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import type { Finish, ReplyEvent } from '../../src/conversation/reply.ts';
import { CallSettler } from '../../src/conversation/rules/settle-calls.ts';
import { run } from '../../src/streams/step.ts';
import { excessOf } from '../support/cost.ts';

/** Calls with these pieces of arguments, one after another. */
function answer(calls: readonly (readonly string[])[], finish: Finish, choice = 0): ReplyEvent[] {
  const parts = calls.flatMap((pieces, index): ReplyEvent[] => [
    { type: 'part-start', choice, index, part: { kind: 'tool-call', id: `c${index}`, name: 'f' } },
    ...pieces.map((text) => ({ type: 'part-delta', choice, index, text }) as const),
    { type: 'part-end', choice, index },
  ]);
  return [...parts, { type: 'choice-end', choice, finish }];
}

function argumentsOf(events: readonly ReplyEvent[]): (string | undefined)[] {
  const { choices } = collect(run(new CallSettler(), events));
  return choices.flatMap(({ parts }) =>
    parts.map((part) => (part.kind === 'tool-call' ? part.arguments : undefined)),
  );
}

describe('a call without arguments', () => {
  test.each<[finish: Finish, last: string]>([
    ['length', ''],
    ['context-length', ''],
    ['content-filter', ''],
    ['refusal', ''],
    ['tool-calls', '{}'],
    ['stop', '{}'],
    ['other', '{}'],
  ])('at the end %s: only the last one can be cut off', (finish, last) => {
    expect(argumentsOf(answer([[], []], finish))).toEqual(['{}', last]);
  });

  test('ends before the next event of its choice, and waits for no other choice', () => {
    const events = run(new CallSettler(), [
      ...answer([[]], 'length', 1).slice(0, 2),
      ...answer([[]], 'stop', 0),
    ]);
    expect(events.map((event) => ('choice' in event ? `${event.type} ${event.choice}` : event.type))).toEqual(
      ['part-start 1', 'part-start 0', 'part-delta 0', 'part-end 0', 'choice-end 0'],
    );
  });
});

test('an object passes piece by piece', () => {
  const events = answer([[' ', '{"a"', ':1', '}']], 'tool-calls');
  expect(run(new CallSettler(), events).filter(({ type }) => type === 'part-delta')).toMatchObject([
    { text: ' {"a"' },
    { text: ':1' },
    { text: '}' },
  ]);
});

test.each<[text: string, cut: string]>([
  ['"{\\"a\\":', '{"a":'],
  ['"{\\"a\\', '{"a'],
  ['"{\\"a\\":\\"\\\\', '{"a":"\\'],
  ['"{\\"a\\":\\"\\\\\\\\', '{"a":"\\\\'],
  ['"{\\"a\\":\\"\\u00e', '{"a":"'],
  ['"{\\"a\\":1}"', '{"a":1}'],
  ['"Ro', '{"arguments":"\\"Ro"}'],
  ['[1, ', '{"arguments":"[1, "}'],
])('%s, cut off, is %s', (text, cut) => {
  expect(argumentsOf(answer([[...text]], 'length'))).toEqual([cut]);
});

test.each(['x', ' ', '"'])('the cost of many pieces of %j is linear', (piece) => {
  const step = (size: number): ReplyEvent[] => answer([Array.from({ length: size }, () => piece)], 'length');
  expect(excessOf(step, (events) => void run(new CallSettler(), events), 20_000)).toBeUndefined();
});
