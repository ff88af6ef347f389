/** How many there are of each key. One of which there is none takes no room. */

export interface Counters {
  of(key: string): number;
  /** One more. @returns how many that makes. */
  add(key: string): number;
  /** One less. */
  remove(key: string): void;
}

/** Counts without a key. */
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
