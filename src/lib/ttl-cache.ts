/** What was found out recently, by the kind of thing. It expires, because things change. */

export interface TtlCache<T> {
  /** What was found out last about this kind; undefined if nothing was, or too long ago. */
  get(kind: string): T | undefined;
  /** @param until the clock's time at which it expires; by default ten minutes from now. */
  set(kind: string, found: T, until?: number): void;
  /** Whether nothing was ever remembered, which is the usual case. */
  isEmpty(): boolean;
}

/** How long an entry holds by default, in milliseconds, and how many there may be; the oldest one is dropped first. */
const TTL = 600_000;
const MAX_ENTRIES = 10_000;

/** Makes an empty cache. @param clock milliseconds since any moment. */
export function openTtlCache<T>(clock: () => number): TtlCache<T> {
  const known = new Map<string, { readonly found: T; readonly until: number }>();
  return {
    get(kind) {
      const entry = known.get(kind);
      return entry !== undefined && clock() < entry.until ? entry.found : undefined;
    },
    set(kind, found, until = clock() + TTL) {
      // The last one in the map is the one that was found out last.
      known.delete(kind);
      known.set(kind, { found, until });
      const [oldest] = known.size > MAX_ENTRIES ? known.keys() : [];
      if (oldest !== undefined) known.delete(oldest);
    },
    isEmpty: () => known.size === 0,
  };
}
