/** Ids by which the calls of one conversation differ, and with which their results follow them. */

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
