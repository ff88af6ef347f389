/**
 * How much garbage the heap may hold before all of it is collected. A small heap may double (`cli/bound-memory.js`), since
 * it is collected seldom then. A large one holds thousands of open streams, and each of their words leaves some garbage:
 * half of it would be garbage before a collection, so it grows by a fifth only. With 9,000 translated streams that get a
 * word a second, a stream takes a quarter less memory (measured).
 */

import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** From this size on a heap is a large one, in bytes. A load of whole answers and quick streams takes some 60 MB. */
const LARGE = 100 * 2 ** 20;

/** By how much a heap grows beyond what is alive, in percent. Every thread of the program begins with `small`. */
const GROWTH = { small: 100, large: 20 };

/** The interval of the checks, in milliseconds. */
const INTERVAL = 1_000;

export interface GrowthOptions {
  /** The bytes that the heap takes from the system. */
  readonly heapSize?: () => number;
  /** Sets the growth in percent. V8 reads it at the end of each full collection. */
  readonly setGrowth?: (percent: number) => void;
}

/**
 * Starts to adapt the growth to the heap's size. It does not keep the process alive.
 * @returns a function that stops it.
 */
export function adaptHeapGrowth({
  heapSize = () => getHeapStatistics().total_heap_size,
  setGrowth = (percent) => setFlagsFromString(`--heap-growing-percent=${percent}`),
}: GrowthOptions = {}): () => void {
  let growth = GROWTH.small;
  const timer = setInterval(() => {
    const next = heapSize() < LARGE ? GROWTH.small : GROWTH.large;
    if (next === growth) return;
    growth = next;
    setGrowth(growth);
  }, INTERVAL).unref();
  return () => clearInterval(timer);
}
