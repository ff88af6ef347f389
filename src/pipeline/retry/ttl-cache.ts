/** What vendors have lately said, by the kind of request they said it of. It holds for a while only: vendors change. */

export interface TtlCache<T> {
  /** What was said last; undefined where nothing was, or too long ago. */
  of(kind: string): T | undefined;
  remember(kind: string, said: T): void;
  /** Whether nothing was ever said, as a rule. */
  isEmpty(): boolean;
}

/** How long it is taken to hold, in milliseconds, and of how many kinds. */
const WHILE = 600_000;
const MOST = 1_000;

/** @param clock milliseconds, from anywhere. */
export function openTtlCache<T>(clock: () => number): TtlCache<T> {
  const known = new Map<string, { readonly said: T; readonly until: number }>();
  return {
    of(kind) {
      const found = known.get(kind);
      return found !== undefined && clock() < found.until ? found.said : undefined;
    },
    remember(kind, said) {
      if (known.size >= MOST) known.clear();
      known.set(kind, { said, until: clock() + WHILE });
    },
    isEmpty: () => known.size === 0,
  };
}
