/**
 * Thoughts that Anthropic refuses where they stand, though it made and signed them: as the last of an assistant message
 * ("The final block in an assistant message cannot be `thinking`"), as an answer cut off within them leaves them; and in
 * a round of calls that is still open, for a model that shall not think any more ("When thinking is disabled, an
 * `assistant` message in the final position cannot contain `thinking`"). Those of rounds that are over it passes over.
 */

import type { Part, Turn } from '../../../conversation/prompt.ts';
import type { Report } from '../../format.ts';

/** Where the round begins that is still open: after the last turn of the user's that is more than results of calls. */
export function openRound(turns: readonly Turn[]): number {
  return turns.findLastIndex(({ role, parts }) => role === 'user' && !parts.some(isResult)) + 1;
}

/** The turns without thoughts that nothing was said after; a turn of nothing else has no parts left. */
export function withoutLastThoughts(turns: readonly Turn[], report: Report): readonly Turn[] {
  return without(turns, ({ parts }) => parts.slice(0, parts.findLastIndex((part) => !isThought(part)) + 1), {
    report,
    detail: 'no answer follows it',
  });
}

/** The turns without the thoughts of the open round. */
export function withoutOpenThoughts(turns: readonly Turn[], report: Report): readonly Turn[] {
  const start = openRound(turns);
  const open = without(turns.slice(start), ({ parts }) => parts.filter((part) => !isThought(part)), {
    report,
    detail: 'thinking is off',
  });
  return [...turns.slice(0, start), ...open];
}

function without(
  turns: readonly Turn[],
  left: (turn: Turn) => readonly Part[],
  { report, detail }: { readonly report: Report; readonly detail: string },
): readonly Turn[] {
  return turns.map((turn) => {
    const parts = turn.role === 'assistant' ? left(turn) : turn.parts;
    if (parts.length === turn.parts.length) return turn;
    report('turns[].thinking', 'dropped', detail);
    return { ...turn, parts };
  });
}

function isThought({ kind }: Part): boolean {
  return kind === 'thinking';
}

function isResult({ kind }: Part): boolean {
  return kind === 'tool-result';
}
