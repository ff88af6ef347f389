/** A start that comes before its database does: containers are started together, and a database restarts. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from './store.ts';
import { isAway, StoreError } from './store-errors.ts';

/** The pause between two attempts in milliseconds: doubled each time, up to a bound. */
const FIRST_PAUSE = 250;
const MAX_PAUSE = 4_000;

/**
 * Opens a store, again and again as long as it cannot be reached.
 * @param wait milliseconds after which no further attempt is made.
 * @param log receives one sentence when the wait begins.
 * @throws StoreError of the last attempt; any error but that a store is away at once.
 */
export async function waitForStore(
  open: () => Promise<Store>,
  wait: number,
  log: (reason: string) => void,
): Promise<Store> {
  const end = performance.now() + wait;
  for (let attempt = 0; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      const left = end - performance.now();
      if (!(error instanceof StoreError) || !isAway(error.cause) || left <= 0) throw error;
      const seconds = Math.ceil(wait / 1_000);
      if (attempt === 0)
        log(`${error.message.replace(/^t/, 'T')}. The start waits for it, for up to ${seconds} s.`);
      await sleep(Math.min(left, MAX_PAUSE, FIRST_PAUSE * 2 ** attempt));
    }
  }
}
