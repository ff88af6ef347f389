/**
 * What the system says in the midst of a conversation, where a format has a place for it before all else only. Put there,
 * it would change how the request begins, by which vendors' caches know a prompt, and newest Claudes their thoughts: each
 * of Claude Code's reminders, and of Codex's notes, had the whole conversation paid for anew (BerriAI/litellm#42104,
 * lidge-jun/opencodex#4148). So it stays where it is, as a user's turn that says whose words they are. What was said
 * before the first answer never changes again, and can stand before all else.
 */

import type { Part, TextPart, Turn } from '../conversation/prompt.ts';
import type { Report } from './format.ts';

/** How many turns at the start are the system's. */
export function leadingSystem(turns: readonly Turn[]): number {
  const first = turns.findIndex(({ role }) => role !== 'system');
  return first < 0 ? turns.length : first;
}

/** How many turns come before the assistant's first. */
export function beforeAnswers(turns: readonly Turn[]): number {
  const first = turns.findIndex(({ role }) => role === 'assistant');
  return first < 0 ? turns.length : first;
}

/** The turns with those of the system's from the `first` on as a user's; themselves where there are none. */
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
