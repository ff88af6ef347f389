import { expect, test } from 'vitest';
import type { Turn } from '../../src/conversation/prompt.ts';
import { unreported } from '../../src/formats/format.ts';
import { laterSystemAsUser } from '../../src/formats/later-system.ts';

const say = (role: Turn['role'], text: string, more: Partial<Turn> = {}): Turn => ({
  role,
  parts: [{ kind: 'text', text }],
  ...more,
});

test('system turns at the start stay as they are', () => {
  const turns = [say('system', 'a'), say('system', 'b', { developer: true }), say('user', 'c')];
  expect(laterSystemAsUser(turns, 2, unreported)).toBe(turns);
  expect(laterSystemAsUser([], 0, unreported)).toEqual([]);
});

test('later ones become the user’s in their place, without fields of system messages; empty ones are left out', () => {
  const own = { format: 'messages', fields: { clear_at: 'next_user_message' } } as const;
  const turns = [
    say('user', 'a'),
    say('system', 'b', { formatSpecific: own, developer: true }),
    say('system', ''),
    say('assistant', 'c'),
  ];
  expect(laterSystemAsUser(turns, 1, unreported)).toEqual([
    turns[0],
    {
      role: 'user',
      parts: ['<system>', 'b', '</system>'].map((text) => ({ kind: 'text', text })),
    },
    turns[3],
  ]);
});
