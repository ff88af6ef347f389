/**
 * Thinking that Anthropic refuses although it is signed:
 * - at the end of an assistant message, where an answer that was cut off while thinking leaves it ("The final block in an
 *   assistant message cannot be `thinking`");
 * - in a round of calls that is still open, if the model is not to think any more ("When thinking is disabled, an
 *   `assistant` message in the final position cannot contain `thinking`"). It ignores the thinking of earlier rounds.
 */

import type { Part, Turn } from '../../../conversation/prompt.ts';
import { mapItems } from '../../../lib/lists.ts';
import type { Report } from '../../format.ts';

/** Finds the index where the open round begins: after the last user turn that contains no results of calls. */
export function findOpenRound(turns: readonly Turn[]): number {
  return turns.findLastIndex(({ role, parts }) => role === 'user' && !parts.some(isResult)) + 1;
}

/**
 * Removes the thinking at the end of each assistant turn. A turn of nothing else has no parts left.
 * @returns the same list if no turn ends so.
 */
export function dropLastThoughts(turns: readonly Turn[], report: Report): readonly Turn[] {
  return filterTurns(
    turns,
    ({ parts }) => {
      const last = parts.at(-1);
      return last && isThought(last)
        ? parts.slice(0, parts.findLastIndex((part) => !isThought(part)) + 1)
        : parts;
    },
    {
      report,
      detail: 'no answer follows it',
    },
  );
}

/** Removes the thinking of the open round. */
export function dropOpenThoughts(turns: readonly Turn[], report: Report): readonly Turn[] {
  const start = findOpenRound(turns);
  const open = filterTurns(turns.slice(start), ({ parts }) => parts.filter((part) => !isThought(part)), {
    report,
    detail: 'thinking is off',
  });
  return [...turns.slice(0, start), ...open];
}

function filterTurns(
  turns: readonly Turn[],
  keep: (turn: Turn) => readonly Part[],
  { report, detail }: { readonly report: Report; readonly detail: string },
): readonly Turn[] {
  return mapItems(turns, (turn) => {
    const parts = turn.role === 'assistant' ? keep(turn) : turn.parts;
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
