/** What was asked for lately, by key: what is not for a while is let go. Keys come and go, and nobody says which went. */

/** Times are those of performance.now(), which no correction of the clock moves. */
export interface UsedLately<V> {
  get(key: string, now: number): V | undefined;
  set(key: string, value: V, now: number): void;
  /** All that is kept. */
  entries(now: number): Iterable<readonly [key: string, value: V]>;
}

/**
 * Nothing is searched for what is old, and nothing waits for it: what was asked for in this period and in the one before
 * is kept, in a map each.
 * @param period for how long, at least, something is kept that is not asked for any more; in milliseconds.
 */
export function openUsedLately<V>(period: number): UsedLately<V> {
  let present = new Map<string, V>();
  let before = new Map<string, V>();
  let ends = 0;

  function turn(now: number): void {
    before = now < ends + period ? present : new Map();
    present = new Map();
    ends = now + period;
  }

  return {
    get(key, now) {
      if (now >= ends) turn(now);
      const found = present.get(key);
      if (found !== undefined) return found;
      const earlier = before.get(key);
      if (earlier !== undefined) present.set(key, earlier);
      return earlier;
    },
    set(key, value, now) {
      if (now >= ends) turn(now);
      present.set(key, value);
    },
    entries(now) {
      if (now >= ends) turn(now);
      return new Map([...before, ...present]);
    },
  };
}
