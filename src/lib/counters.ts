/** A count for each key. A key whose count is 0 takes no memory. */

export interface Counters {
  of(key: string): number;
  /** Adds one. @returns the new count. */
  add(key: string): number;
  /** Subtracts one. */
  remove(key: string): void;
}

/** Makes counters that are all 0. */
export function openCounters(): Counters {
  const counts = new Map<string, number>();
  const of = (key: string): number => counts.get(key) ?? 0;
  return {
    of,
    add(key) {
      const count = of(key) + 1;
      counts.set(key, count);
      return count;
    },
    remove(key) {
      const left = of(key) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    },
  };
}
