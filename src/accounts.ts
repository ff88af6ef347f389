/** Who may ask, and what it took: the store as a serving process needs it, keys in memory and usage on its way out. */

import type { Config } from './config/schema.ts';
import type { Keys } from './keys.ts';
import type { Limits } from './limits/limits.ts';
import { openLimits } from './limits/open-limits.ts';
import { storedSpending } from './limits/stored-spending.ts';
import { followKeys } from './store/follow-keys.ts';
import { reasonOf, type Store } from './store/store.ts';
import { keepForgetting } from './usage/forget-usage.ts';
import { recordUsage, type UsageRecorder } from './usage/recorder.ts';

export interface Accounts {
  /** The keys of the store as they are now. */
  readonly keys: Keys;
  /** Keeps them, and those of the configuration, to what they may use. */
  readonly limits: Limits;
  /** Keeps what exchanges took. */
  readonly write: UsageRecorder['write'];
  /** Exchanges that were not kept, so far. */
  lost(): number;
  /** Looks for changed keys at once, not only at the next look. */
  refresh(): void;
  /** When all is over: writes what waits, for so many milliseconds at most, and closes the store. */
  close(milliseconds: number): Promise<void>;
}

/**
 * @param store is closed with the accounts.
 * @param onTrouble told, in a sentence, when the store can no longer be used, and when it can again.
 * @throws where the keys, or what they have spent, cannot be read.
 */
export async function openAccounts(
  store: Store,
  { usage: options, redis, workers }: Pick<Config, 'usage' | 'redis' | 'workers'>,
  onTrouble: (message: string) => void,
): Promise<Accounts> {
  const limits = await openLimits({
    ...(redis.url !== undefined && { redisUrl: redis.url }),
    workers,
    stored: storedSpending(store),
    onTrouble,
  });
  const followed = await followKeys(store, { onTrouble });
  const recorder = recordUsage(store, { ...options, onTrouble });
  const forgetting = keepForgetting(store, options.keepDays, (error) =>
    onTrouble(`Old usage cannot be deleted: ${reasonOf(error)}`),
  );
  return {
    keys: followed.keys,
    limits,
    write: recorder.write,
    lost: recorder.dropped,
    refresh() {
      // What goes wrong here is told at the next look.
      followed.refresh().catch(() => {});
    },
    async close(milliseconds) {
      followed.stop();
      limits.close();
      forgetting.stop();
      const lost = await recorder.close(milliseconds);
      if (lost > 0) onTrouble(`The usage of ${lost} exchanges could not be written, and is lost.`);
      await store.close();
    },
  };
}
