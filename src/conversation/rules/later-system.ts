/** System messages in the middle of a conversation, as the user's. */

import type { Part, TextPart, Turn } from '../prompt.ts';

/** The number of system turns at the start. */
export function leadingSystem(turns: readonly Turn[]): number {
  const first = turns.findIndex(({ role }) => role !== 'system');
  return first < 0 ? turns.length : first;
}

/**
 * System turns from index `first` on as the user's, each in its place and with tags that name the speaker.
 * @returns the same list if there are none.
 */
export function systemAsUser(turns: readonly Turn[], first: number): readonly Turn[] {
  const isLater = ({ role }: Turn, at: number): boolean => role === 'system' && at >= first;
  if (!turns.some(isLater)) return turns;
  return turns.flatMap((turn, at): readonly Turn[] => {
    if (!isLater(turn, at)) return [turn];
    const { formatSpecific: _own, developer: _developer, ...said } = turn;
    if (said.parts.every(isEmpty)) return [];
    return [{ ...said, role: 'user', parts: [tag('<system>'), ...said.parts, tag('</system>')] }];
  });
}

function isEmpty(part: Part): boolean {
  return part.kind === 'text' && part.text === '';
}

function tag(text: string): TextPart {
  return { kind: 'text', text };
}
