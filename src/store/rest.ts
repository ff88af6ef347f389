/** A rest between two pieces of work in the background. */

import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds. Other processes that wait for SQLite to write to it look at least as often. */
const REST = 100;

/**
 * Resolves after a moment, or at once when the work is to end. It does not keep the process alive.
 * @param signal ends the rest early, without an error.
 */
export async function rest(signal?: AbortSignal): Promise<void> {
  await pause(REST, undefined, { ref: false, ...(signal && { signal }) }).catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
  });
}
