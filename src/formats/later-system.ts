/**
 * System messages in the middle of a conversation, for formats that take them only at its start. Moved there, they
 * would change how the request begins. Vendors' caches know a prompt by that, and the newest Claudes their thoughts:
 * each of Claude Code's reminders, and of Codex's notes, made the whole conversation cost its full price again
 * (BerriAI/litellm#42104, lidge-jun/opencodex#4148). So such a message stays in its place, as a user's turn that names
 * the speaker. Messages before the first answer never change again, and may move to the start.
 */

import type { Part, TextPart, Turn } from '../conversation/prompt.ts';
import type { Report } from './format.ts';

/** The number of system turns at the start. */
export function leadingSystem(turns: readonly Turn[]): number {
  const first = turns.findIndex(({ role }) => role !== 'system');
  return first < 0 ? turns.length : first;
}

/** The number of turns before the assistant's first. */
export function beforeAnswers(turns: readonly Turn[]): number {
  const first = turns.findIndex(({ role }) => role === 'assistant');
  return first < 0 ? turns.length : first;
}

/** The turns, with system turns from index `first` on as the user's; the same list if there are none. */
export function laterSystemAsUser(turns: readonly Turn[], first: number, report: Report): readonly Turn[] {
  const isLater = ({ role }: Turn, at: number): boolean => role === 'system' && at >= first;
  if (!turns.some(isLater)) return turns;
  report('turns[].role', 'approximated', 'a later system message is sent as a user message');
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
