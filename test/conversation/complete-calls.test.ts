import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Part, Turn } from '../../src/conversation/prompt.ts';
import { completeCalls } from '../../src/conversation/rules/complete-calls.ts';
import { renameRepeatedIds } from '../../src/conversation/rules/distinct-call-ids.ts';
import { strictTurns } from '../../src/conversation/rules/strict-turns.ts';
import { excessOf } from '../support/cost.ts';

const text = (words: string): Part => ({ kind: 'text', text: words });
const call = (id: string): Part => ({ kind: 'tool-call', id, name: 'f', arguments: '{}' });
const result = (id: string, words = 'r'): Part => ({
  kind: 'tool-result',
  id,
  content: [{ kind: 'text', text: words }],
});
const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });

/** Who says a part that not everyone says. */
const PLACES: Readonly<Record<string, Turn['role']>> = { 'tool-call': 'assistant', 'tool-result': 'user' };

const idsOf = (turns: readonly Turn[], kind: 'tool-call' | 'tool-result'): string[] =>
  turns.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === kind ? [part.id] : [])));

describe('calls and results in pairs', () => {
  test('a call that was interrupted gets a result before what the user says next', () => {
    const turns = completeCalls([user(text('Rome?')), assistant(call('a')), user(text('Well?'))]);
    expect(turns[2]?.parts.map(({ kind }) => kind)).toEqual(['tool-result', 'text']);
    expect(idsOf(turns, 'tool-result')).toEqual(['a']);
  });

  test('calls at the end wait for their results', () => {
    const turns = [user(text('Rome?')), assistant(call('a'))];
    expect(completeCalls(turns)).toEqual(turns);
  });

  test('a result without a call is said by the user', () => {
    expect(completeCalls([user(result('a', 'Sunny.'), text('Well?'))])).toEqual([
      user(text('Sunny.'), text('Well?')),
    ]);
  });

  test('nothing is missing from dialogues of any order', () => {
    const part = fc.oneof(
      fc.constantFrom('a', 'b', 'c').map(call),
      fc.constantFrom('a', 'b', 'c').map((id) => result(id)),
      fc.constant(text('x')),
    );
    const turn = fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const),
      parts: fc.array(part, { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
        const placed = turns.map(({ role, parts }) => ({
          role,
          parts: parts.filter(({ kind }) => kind === 'text' || PLACES[kind] === role),
        }));
        const complete = completeCalls(strictTurns(renameRepeatedIds(placed)));
        const last = complete.at(-1);
        const answered = last?.role === 'assistant' ? complete.slice(0, -1) : complete;
        const calls = idsOf(answered, 'tool-call');
        expect(new Set(calls).size).toBe(calls.length);
        expect(idsOf(answered, 'tool-result').sort()).toEqual([...calls].sort());
      }),
      { numRuns: 500 },
    );
  });
});

describe('ids that repeat', () => {
  test('each call has an id of its own, and its results follow', () => {
    const turns = renameRepeatedIds([
      assistant(call('call_0')),
      user(result('call_0', 'one')),
      assistant(call('call_0'), call('call_0')),
      user(result('call_0', 'two'), result('call_0', 'three')),
    ]);
    expect(idsOf(turns, 'tool-call')).toEqual(['call_0', 'call_0_2', 'call_0_3']);
    expect(idsOf(turns, 'tool-result')).toEqual(['call_0', 'call_0_2', 'call_0_3']);
  });

  test('a dialogue without any stays the same object', () => {
    const turns = [assistant(call('a')), user(result('a')), assistant(call('b'))];
    expect(renameRepeatedIds(turns)).toBe(turns);
  });
});

test('a turn of many calls costs in proportion to their number', () => {
  const prepare = (size: number): Turn[] => {
    const ids = Array.from({ length: size }, (_, at) => ['call', at].join('-'));
    return [user(text('x')), assistant(...ids.map(call)), user(...ids.map((id) => result(id)))];
  };
  expect(excessOf(prepare, completeCalls, 8_000)).toBeUndefined();
});
