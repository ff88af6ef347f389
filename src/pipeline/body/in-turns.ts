/** Long work in steps, so that everything else that the process does has its turn between them. */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that yields between its steps and returns its result. */
export type Work<T> = Generator<undefined, T>;

/** Does all steps one after the other. @throws what the work throws. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Does each step in a turn of the event loop of its own. Rejects with what the work throws. */
export async function inTurns<T>(work: Work<T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await nextTurn();
  }
}
