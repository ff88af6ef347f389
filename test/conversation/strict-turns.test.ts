import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Part, Turn } from '../../src/conversation/prompt.ts';
import { strictTurns } from '../../src/conversation/rules/strict-turns.ts';

const text = (value: string): Part => ({ kind: 'text', text: value });
const call = (id: string): Part => ({ kind: 'tool-call', id, name: 'look_up', arguments: '{}' });
const result = (id: string, value = `of ${id}`): Part => ({
  kind: 'tool-result',
  id,
  content: [{ kind: 'text', text: value }],
});
/** The texts of a part; a merged result has several. */
const said = (part: Part): string[] => {
  if (part.kind === 'tool-result') return part.content.map((inner) => `${part.id} ${JSON.stringify(inner)}`);
  return [JSON.stringify(part)];
};
const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const system = (...parts: Part[]): Turn => ({ role: 'system', parts });

describe('strict turns', () => {
  test('turns in order stay as they are', () => {
    const turns = [user(text('a')), assistant(call('1')), user(result('1'), text('b')), assistant(text('c'))];
    expect(strictTurns(turns)).toBe(turns);
  });

  test('results of one turn come in one user turn, in the order of the calls, before text', () => {
    expect(
      strictTurns([
        user(text('a')),
        assistant(call('1'), call('2')),
        user(text('by the way')),
        user(result('2')),
        user(result('1')),
        user(text('go on')),
      ]),
    ).toEqual([
      user(text('a')),
      assistant(call('1'), call('2')),
      user(result('1'), result('2'), text('by the way'), text('go on')),
    ]);
  });

  test('a late result moves to its call', () => {
    expect(
      strictTurns([
        user(text('a')),
        assistant(call('1')),
        user(text('quick')),
        assistant(text('yes')),
        user(result('1')),
      ]),
    ).toEqual([
      user(text('a')),
      assistant(call('1')),
      user(result('1'), text('quick')),
      assistant(text('yes')),
    ]);
  });

  test('calls written as turns of their own are one turn', () => {
    expect(
      strictTurns([
        user(text('a')),
        assistant(call('1')),
        assistant(call('2')),
        user(result('1')),
        user(result('2')),
      ]),
    ).toEqual([user(text('a')), assistant(call('1'), call('2')), user(result('1'), result('2'))]);
  });

  test('a repeated id, even the empty one, is answered by the next result', () => {
    const turns = [
      user(text('a')),
      assistant(call(''), call('')),
      user(result('', 'first'), result('', 'second')),
      assistant(call('')),
      user(result('', 'third')),
    ];
    expect(strictTurns(turns)).toEqual(turns);
  });

  test('each call has one result: further ones join the first, as a failure if any failed', () => {
    const failed: Part = {
      kind: 'tool-result',
      id: '1',
      content: [{ kind: 'text', text: 'late' }],
      isError: true,
    };
    const { content } = {
      content: [{ kind: 'text', text: 'soon' } as const, { kind: 'text', text: 'late' } as const],
    };
    expect(
      strictTurns([
        user(text('a')),
        assistant(call('1')),
        user(result('1', 'soon'), text('b')),
        user(failed),
      ]),
    ).toEqual([
      user(text('a')),
      assistant(call('1')),
      user({ kind: 'tool-result', id: '1', content, isError: true }, text('b')),
    ]);
  });

  test('a call without a result and a result without a call stay as they are', () => {
    const turns = [user(text('a')), assistant(call('1')), user(result('9'), text('b'))];
    expect(strictTurns(turns)).toEqual(turns);
  });

  test('empty texts and turns are left out, and a text with a signature stays', () => {
    const signed: Part = { kind: 'text', text: '', signature: { origin: 'google', value: 'c2ln' } };
    expect(
      strictTurns([user(text('a')), assistant(text('')), user(text('b'), text('')), assistant(signed)]),
    ).toEqual([user(text('a'), text('b')), assistant(signed)]);
  });

  test('a conversation that starts with the assistant gets a user turn before it, after the system', () => {
    expect(strictTurns([system(text('s')), assistant(text('hello')), user(text('hi'))])).toEqual([
      system(text('s')),
      user(text('.')),
      assistant(text('hello')),
      user(text('hi')),
    ]);
  });

  test('fields of merged turns are kept', () => {
    expect(
      strictTurns([
        {
          ...user(text('a')),
          unknownFields: { x: 1 },
          formatSpecific: { format: 'messages', fields: { p: 1 } },
        },
        {
          ...user(text('b')),
          unknownFields: { y: 2 },
          formatSpecific: { format: 'messages', fields: { q: 2 } },
        },
        user(text('c')),
      ]),
    ).toEqual([
      {
        ...user(text('a'), text('b'), text('c')),
        unknownFields: { x: 1, y: 2 },
        formatSpecific: { format: 'messages', fields: { p: 1, q: 2 } },
      },
    ]);
  });

  test('for any turns, roles alternate, no part is lost or doubled, and a second pass changes nothing', () => {
    const spoken = fc.constantFrom('a', 'b', '').map(text);
    const called = fc.constantFrom('1', '2', '').map(call);
    const answered = fc.constantFrom('1', '2', '').map((id) => result(id));
    const turn: fc.Arbitrary<Turn> = fc.oneof(
      fc.array(fc.oneof(spoken, answered), { maxLength: 4 }).map((parts) => user(...parts)),
      fc.array(fc.oneof(spoken, called), { maxLength: 4 }).map((parts) => assistant(...parts)),
    );
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
        const strict = strictTurns(turns);
        strict.forEach((one, at) => {
          expect(one.role).toBe(at % 2 === 0 ? 'user' : 'assistant');
          expect(one.parts.length).toBeGreaterThan(0);
        });
        const given = turns.flatMap((one) => one.parts.filter((p) => p.kind !== 'text' || p.text !== ''));
        const kept = strict.flatMap((one) => one.parts.filter((p) => p.kind !== 'text' || p.text !== '.'));
        expect(kept.flatMap(said).toSorted()).toEqual(given.flatMap(said).toSorted());
        expect(strictTurns(strict)).toEqual(strict);
        // An empty turn changes nothing, but is not in strict order: the turns are then really arranged.
        expect(strictTurns([...turns, user()])).toEqual(strict);
      }),
    );
  });

  test('a hundred thousand turns of one role do not take long', () => {
    const turns = Array.from({ length: 100_000 }, () => user(text('a'), result('1')));
    expect(strictTurns(turns)[0]?.parts.length).toBe(200_000);
  });

  // If each were removed from the front of a list, this would take a minute and block every other request.
  test('four times as many calls of one id do not take long', () => {
    const called: Turn = { role: 'assistant', parts: Array.from({ length: 400_000 }, () => call('1')) };
    const answered: Turn = { role: 'user', parts: called.parts.map(() => result('1')) };
    expect(strictTurns([user(text('a')), called, answered])[2]?.parts.length).toBe(400_000);
  });
});
