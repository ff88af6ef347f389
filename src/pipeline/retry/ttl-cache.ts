/** What vendors have recently said, by the kind of request. It expires, because vendors change. */

export interface TtlCache<T> {
  /** What was said last about this kind; undefined if nothing was, or too long ago. */
  get(kind: string): T | undefined;
  set(kind: string, said: T): void;
  /** Whether nothing was ever remembered, which is the usual case. */
  isEmpty(): boolean;
}

/** How long an entry holds, in milliseconds, and how many entries there may be; the oldest one is dropped first. */
const TTL = 600_000;
const MAX_ENTRIES = 10_000;

/** Makes an empty cache. @param clock milliseconds since any moment. */
export function openTtlCache<T>(clock: () => number): TtlCache<T> {
  const known = new Map<string, { readonly said: T; readonly until: number }>();
  return {
    get(kind) {
      const found = known.get(kind);
      return found !== undefined && clock() < found.until ? found.said : undefined;
    },
    set(kind, said) {
      // The last one in the map is the one that was said last.
      known.delete(kind);
      known.set(kind, { said, until: clock() + TTL });
      const [oldest] = known.size > MAX_ENTRIES ? known.keys() : [];
      if (oldest !== undefined) known.delete(oldest);
    },
    isEmpty: () => known.size === 0,
  };
}
