/** Deletes what is older than it is to be kept. */

import { type Repeated, repeat } from '../lib/repeat.ts';

const HOUR = 3_600_000;

/** A day in milliseconds. */
export const DAY = 24 * HOUR;

/**
 * Deletes now and every hour. The first run may find months of what is old.
 * @param remove ends between two pieces when its signal says so.
 * @param onTrouble called with the error if that fails.
 * @returns a handle that stops it. Its promise resolves when the store is used no more.
 */
export function deleteHourly(
  remove: (signal: AbortSignal) => Promise<void>,
  onTrouble: (reason: unknown) => void,
): Pick<Repeated, 'stop'> {
  const stopped = new AbortController();
  const repeated = repeat(() => remove(stopped.signal).catch(onTrouble), HOUR);
  repeated.now();
  return {
    stop() {
      stopped.abort();
      return repeated.stop();
    },
  };
}
