/** Ids of calls that no other call of the dialogue has. Some servers number the calls of each answer from zero. */

import type { Part, Turn } from '../prompt.ts';
import { distinctCallIds } from './distinct-call-ids.ts';

/**
 * Renames calls whose id an earlier call has, `call_0` to `call_0_2`, and the results that answer them. A result belongs
 * to the latest calls of its id, one after the other. Ids depend on the dialogue alone, so its beginning stays the same
 * from turn to turn, as caches need it.
 * @returns the same turns if no id repeats.
 */
export function renameRepeatedIds(turns: readonly Turn[]): readonly Turn[] {
  if (!hasRepeatedId(turns)) return turns;
  const ids = distinctCallIds((id) => id);
  const rename = (part: Part): Part => {
    if (part.kind === 'tool-call') return { ...part, id: ids.call(part.id) };
    return part.kind === 'tool-result' ? { ...part, id: ids.result(part.id) } : part;
  };
  return turns.map((turn) => {
    if (turn.role === 'assistant') ids.turn();
    return { ...turn, parts: turn.parts.map(rename) };
  });
}

function hasRepeatedId(turns: readonly Turn[]): boolean {
  const seen = new Set<string>();
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.kind !== 'tool-call') continue;
      if (seen.has(part.id)) return true;
      seen.add(part.id);
    }
  }
  return false;
}
