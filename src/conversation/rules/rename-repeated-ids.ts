/** Ids of calls that no other call of the dialogue has. Some servers number the calls of each answer from zero. */

import type { Part, Turn } from '../prompt.ts';

/**
 * Renames calls whose id an earlier call has, `call_0` to `call_0_2`, and the results that answer them. A result belongs
 * to the latest calls of its id, one after the other. Ids depend on the dialogue alone, so its beginning stays the same
 * from turn to turn, as caches need it.
 * @returns the same turns if no id repeats.
 */
export function renameRepeatedIds(turns: readonly Turn[]): readonly Turn[] {
  if (!hasRepeatedId(turns)) return turns;
  const used = new Set<string>();
  const counts = new Map<string, number>();
  const unanswered = new Map<string, { readonly ids: string[]; next: number }>();
  const answered = new Map<string, string>();
  const callId = (id: string): string => {
    let count = counts.get(id) ?? 0;
    let given: string;
    do {
      count += 1;
      given = count === 1 ? id : `${id}_${count}`;
    } while (used.has(given));
    counts.set(id, count);
    used.add(given);
    const pending = unanswered.get(id);
    if (pending) pending.ids.push(given);
    else unanswered.set(id, { ids: [given], next: 0 });
    return given;
  };
  const resultId = (id: string): string => {
    const pending = unanswered.get(id);
    const given = pending?.ids[pending.next] ?? answered.get(id) ?? id;
    if (pending) pending.next += 1;
    answered.set(id, given);
    return given;
  };
  const rename = (part: Part): Part => {
    if (part.kind === 'tool-call') return { ...part, id: callId(part.id) };
    return part.kind === 'tool-result' ? { ...part, id: resultId(part.id) } : part;
  };
  return turns.map((turn) => {
    if (turn.role === 'assistant') unanswered.clear();
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
