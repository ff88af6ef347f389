/** A map that forgets what was not used for a while. Keys come and go, and nothing tells which of them went. */

/** Times are those of performance.now(), which no correction of the clock moves. */
export interface RecentlyUsed<V> {
  get(key: string, now: number): V | undefined;
  set(key: string, value: V, now: number): void;
  /** All entries. */
  entries(now: number): Iterable<readonly [key: string, value: V]>;
}

/**
 * Entries of this period and of the period before are kept, in one map each. So nothing is searched for old entries,
 * and no timer runs.
 * @param period for how long an entry is kept at least after its last use, in milliseconds.
 */
export function openRecentlyUsed<V>(period: number): RecentlyUsed<V> {
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
