/** Who may ask, and how much: the store as a serving process needs it, with its keys in memory. */

import { followKeys } from '../../access/follow-keys.ts';
import type { Keys } from '../../access/keys.ts';
import type { Limits } from '../../access/limits/limits.ts';
import { openLimits } from '../../access/limits/open-limits.ts';
import { storedByModel, storedSpending } from '../../access/limits/stored-spending.ts';
import { openStoredIds, type StoredIds } from '../../access/stored-ids.ts';
import { keepForgetting } from '../../accounting/usage/forget-usage.ts';
import type { Config } from '../../config/schema.ts';
import type { Diagnostics } from '../../lib/diagnostics.ts';
import type { Store } from '../../store/store.ts';
import { reasonOf, type StorePlace } from '../../store/store-errors.ts';
import { forgetStoredIds, ownedTable } from '../../store/stored-ids.ts';

export interface Accounts {
  /** The keys of the store as they are now. */
  readonly keys: Keys;
  /** Keeps them, and those of the configuration, to what they may use. */
  readonly limits: Limits;
  /** Whose answers have stored what at the vendors. */
  readonly storedIds: StoredIds;
  /** Where the store is. */
  readonly place: StorePlace;
  /** Looks for changed keys at once, not only at the next look. */
  refresh(): void;
  /** When all is over: closes the store. */
  close(): Promise<void>;
}

/**
 * @param store is closed with the accounts.
 * @param teller told, in a sentence, when the store can no longer be used, and when it can again.
 * @throws where the keys, or what they have spent, cannot be read.
 */
export async function openAccounts(
  store: Store,
  { usage, redis, workers }: Pick<Config, 'usage' | 'redis' | 'workers'>,
  { info: note, problem: trouble }: Pick<Diagnostics, 'info' | 'problem'>,
): Promise<Accounts> {
  const limits = await openLimits({
    ...(redis.url !== undefined && { redisUrl: redis.url }),
    workers,
    stored: storedSpending(store),
    storedOfGroups: storedSpending(store, 'group'),
    storedByModel: { keys: storedByModel(store, 'key'), groups: storedByModel(store, 'group') },
    onTrouble: trouble,
    onRecovered: note,
  });
  const followed = await followKeys(store, { onTrouble: trouble, onRecovered: note });
  const forgetting = keepForgetting(store, usage.keepDays, (error) =>
    trouble(`Old usage cannot be deleted: ${reasonOf(error)}`),
  );
  const storedIds = openStoredIds({ table: ownedTable(store), tell: trouble });
  const forgettingIds = forgetStoredIds(store, (error) =>
    trouble(`What is stored at vendors cannot be forgotten: ${reasonOf(error)}`),
  );
  return {
    keys: followed.keys,
    limits,
    storedIds,
    place: store.place,
    refresh() {
      // What goes wrong here is told at the next look.
      followed.refresh().catch(() => {});
    },
    async close() {
      followed.stop();
      limits.close();
      forgetting.stop();
      forgettingIds.stop();
      await storedIds.close();
      await store.close();
    },
  };
}
