/** Work on many rows or keys, of which there may be 100,000, while callers are served. */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one turn of the event loop is used for such work, in milliseconds. */
const MAX_TURN = 5;

/** Makes something of each, over as many turns of the event loop as it takes. Rejects with what `make` throws. */
export async function mapInTurns<T, U>(all: Iterable<T>, make: (one: T) => U): Promise<U[]> {
  const made: U[] = [];
  let began = performance.now();
  for (const one of all) {
    made.push(make(one));
    if (performance.now() - began < MAX_TURN) continue;
    await nextTurn();
    began = performance.now();
  }
  return made;
}
