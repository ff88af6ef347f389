/** A count for each key. A key whose count is 0 takes no memory. */

export interface Counters {
  get(key: string): number;
  /** Adds one, or `by`, which may be negative. @returns the new count. */
  add(key: string, by?: number): number;
  remove(key: string): void;
}

/** Makes counters that are all 0. */
export function openCounters(): Counters {
  const counts = new Map<string, number>();
  const get = (key: string): number => counts.get(key) ?? 0;
  function add(key: string, by = 1): number {
    const count = get(key) + by;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
    return count;
  }
  return { get, add, remove: (key) => void add(key, -1) };
}
