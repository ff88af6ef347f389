/** Ids by which the calls of one conversation differ, and with which their results follow them. */

import type { Part, Turn } from '../prompt.ts';

/** Gives the ids of one conversation. It is asked in the order of the turns, with the ids that the caller knows. */
export interface CallIds {
  /** Begins a turn of the assistant. The results that follow answer this turn's calls, not earlier ones. */
  turn(): void;
  /** Returns the id for a call. */
  call(id: string): string;
  /** Returns the id for the result of a call. */
  result(id: string): string;
}

interface Tables {
  /** By each id that was given: how many have been made of it, itself among them. */
  readonly counts: Map<string, number>;
  /** The ids given to calls, by the caller's id. Those before `next` have been answered. */
  readonly unanswered: Map<string, { readonly ids: string[]; next: number }>;
  readonly answered: Map<string, string>;
}

/**
 * Makes the ids for a conversation's calls and results: `call_0` and then `call_0_2`. They depend on the caller's ids
 * alone, so that the same conversation always has the same ids: prompt caches depend on that.
 * @param makeValid makes an id that the vendor accepts of the caller's.
 */
export function distinctCallIds(makeValid: (id: string) => string): CallIds {
  // Most conversations have no calls, and need no tables.
  let made: Tables | undefined;
  const tables = (): Tables => {
    made ??= { counts: new Map(), unanswered: new Map(), answered: new Map() };
    return made;
  };
  return {
    turn: () => made?.unanswered.clear(),
    call(id) {
      const { counts, unanswered } = tables();
      const safe = makeValid(id);
      let count = counts.get(safe) ?? 0;
      let given: string;
      do {
        count += 1;
        given = count === 1 ? safe : `${safe}_${count}`;
      } while (counts.has(given));
      counts.set(given, 1).set(safe, count);
      const pending = unanswered.get(id);
      if (pending) pending.ids.push(given);
      else unanswered.set(id, { ids: [given], next: 0 });
      return given;
    },
    result(id) {
      const { unanswered, answered } = tables();
      const pending = unanswered.get(id);
      const given = pending?.ids[pending.next] ?? answered.get(id) ?? makeValid(id);
      if (pending) pending.next += 1;
      answered.set(id, given);
      return given;
    },
  };
}

/**
 * Renames calls whose id an earlier call has, such as `call_0` to `call_0_2`, and the results that answer them: some
 * servers number the calls of each answer from zero. A result belongs to the latest calls of its id, one after the other.
 * Ids depend on the dialogue alone, so its beginning stays the same from turn to turn, as caches need it.
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
