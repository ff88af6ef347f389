/**
 * Thinking that Anthropic refuses although it is signed:
 * - at the end of an assistant message, where an answer that was cut off while thinking leaves it ("The final block in an
 *   assistant message cannot be `thinking`");
 * - in a round of calls that is still open, if the model is not to think any more ("When thinking is disabled, an
 *   `assistant` message in the final position cannot contain `thinking`"). It ignores the thinking of earlier rounds.
 */

import type { Part, Turn } from '../../../conversation/prompt.ts';
import { keepItems, mapItems } from '../../../lib/lists.ts';
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
  const keep = ({ parts }: Turn): readonly Part[] => {
    const end = parts.findLastIndex((part) => !isThought(part)) + 1;
    return end === parts.length ? parts : parts.slice(0, end);
  };
  return filterTurns(turns, keep, 'no answer follows it', report);
}

/** Removes the thinking of the open round. @returns the same list if it has none. */
export function dropOpenThoughts(turns: readonly Turn[], report: Report): readonly Turn[] {
  const start = findOpenRound(turns);
  const keep = ({ parts }: Turn, at: number): readonly Part[] =>
    at < start ? parts : keepItems(parts, (part) => !isThought(part));
  return filterTurns(turns, keep, 'thinking is off', report);
}

function filterTurns(
  turns: readonly Turn[],
  keep: (turn: Turn, at: number) => readonly Part[],
  detail: string,
  report: Report,
): readonly Turn[] {
  return mapItems(turns, (turn, at) => {
    const parts = turn.role === 'assistant' ? keep(turn, at) : turn.parts;
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
