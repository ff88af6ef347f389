/**
 * System messages in the middle of a conversation, for formats that take them only at its start. Moved there, they
 * would change how the request begins. Vendors' caches know a prompt by that, and the newest Claudes their thoughts:
 * each of Claude Code's reminders, and of Codex's notes, made the whole conversation cost its full price again
 * (BerriAI/litellm#42104, lidge-jun/opencodex#4148). So such a message stays in its place, as a user's turn that names
 * the speaker. Messages before the first answer never change again, and may move to the start.
 */

import type { Turn } from '../conversation/prompt.ts';
import { systemAsUser } from '../conversation/rules/later-system.ts';
import type { Report } from './format.ts';

/** The number of turns before the assistant's first. */
export function beforeAnswers(turns: readonly Turn[]): number {
  const first = turns.findIndex(({ role }) => role === 'assistant');
  return first < 0 ? turns.length : first;
}

/** The turns, with system turns from index `first` on as the user's; the same list if there are none. */
export function laterSystemAsUser(turns: readonly Turn[], first: number, report: Report): readonly Turn[] {
  const told = systemAsUser(turns, first);
  if (told !== turns)
    report('turns[].role', 'approximated', 'a later system message is sent as a user message');
  return told;
}
