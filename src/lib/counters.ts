/** A count for each key. A key whose count is 0 takes no memory. */

export interface Counters {
  get(key: string): number;
  /** Adds one. @returns the new count. */
  add(key: string): number;
  /** Subtracts one. */
  remove(key: string): void;
}

/** Makes counters that are all 0. */
export function openCounters(): Counters {
  const counts = new Map<string, number>();
  const get = (key: string): number => counts.get(key) ?? 0;
  return {
    get,
    add(key) {
      const count = get(key) + 1;
      counts.set(key, count);
      return count;
    },
    remove(key) {
      const left = get(key) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    },
  };
}
