/** A start that comes before its database does: containers are started together, and a database restarts. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describePlace, type Store } from './store.ts';
import { getReason, isAway, isUnanswered, StoreError } from './store-errors.ts';

/** The pause between two attempts in milliseconds: doubled each time, up to a bound. */
const FIRST_PAUSE = 250;
const MAX_PAUSE = 4_000;

/** A start that may have to wait. */
export interface StoreWait {
  /** Milliseconds after which no further attempt is made. */
  readonly wait: number;
  /** Receives one sentence when the wait begins. */
  readonly log: (reason: string) => void;
}

/**
 * Opens a store, again and again as long as it cannot be reached.
 * @throws StoreError of the last attempt; any error but that a store is away at once.
 */
export function waitForStore(open: () => Promise<Store>, waiting: StoreWait): Promise<Store> {
  return tryUntilThere(open, waiting, (error) =>
    error instanceof StoreError && isAway(error.cause) ? error.message.replace(/^t/, 'T') : undefined,
  );
}

/**
 * Reads an open store, again and again as long as it cannot be reached: its database may restart after it was opened. A
 * store that was asked, and has not answered in time, is there, so it is not asked again.
 * @param read leaves nothing open when it fails.
 * @throws the error of the last attempt; any error but that a store is away at once.
 */
export function waitToRead<T>(
  { place }: Pick<Store, 'place'>,
  read: () => Promise<T>,
  waiting: StoreWait,
): Promise<T> {
  return tryUntilThere(read, waiting, (error) =>
    isAway(error) && !isUnanswered(error)
      ? `The store ${describePlace(place)} cannot be read: ${getReason(error)}`
      : undefined,
  );
}

/** @param describe a sentence without its full stop, on an error that may pass; undefined for any other. */
async function tryUntilThere<T>(
  attempt: () => Promise<T>,
  { wait, log }: StoreWait,
  describe: (error: unknown) => string | undefined,
): Promise<T> {
  const end = performance.now() + wait;
  for (let tried = 0; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      const left = end - performance.now();
      const sentence = describe(error);
      if (sentence === undefined || left <= 0) throw error;
      if (tried === 0) log(`${sentence}. The start waits for it, for up to ${Math.ceil(wait / 1_000)} s.`);
      await sleep(Math.min(left, MAX_PAUSE, FIRST_PAUSE * 2 ** tried));
    }
  }
}
