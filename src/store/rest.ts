/** A rest between two pieces of work in the background. */

import { setTimeout as pause } from 'node:timers/promises';

/**
 * Resolves after `milliseconds`, or at once when the work is to end. It does not keep the process alive.
 * @param signal ends the rest early, without an error.
 */
export async function rest(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { ref: false, ...(signal && { signal }) }).catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
  });
}
