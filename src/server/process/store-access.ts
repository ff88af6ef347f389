/** Keys, limits and stored ids: the store as a serving process needs it, with its keys in memory. */

import { sql } from 'kysely';
import { namePrefix } from '../../access/identities/claims.ts';
import { openLimits } from '../../access/limits/open-limits.ts';
import { storedByModel, storedSpending } from '../../access/limits/stored-spending.ts';
import { storedTagSpending } from '../../access/limits/stored-tags.ts';
import { openStoredIds } from '../../access/stored-ids.ts';
import { watchKeys } from '../../access/watch-keys.ts';
import { openCallerUsage } from '../../accounting/usage/caller-usage.ts';
import { scheduleUsageDeletion } from '../../accounting/usage/delete-old-usage.ts';
import type { Config } from '../../config/schema.ts';
import type { Diagnostics } from '../../lib/diagnostics.ts';
import { scheduleAuditDeletion } from '../../store/delete-old-audit.ts';
import { sayIfSlow } from '../../store/say-if-slow.ts';
import { describePlace, type Store } from '../../store/store.ts';
import { getReason, type StorePlace } from '../../store/store-errors.ts';
import { ownedTable, scheduleStoredIdDeletion } from '../../store/stored-ids.ts';
import type { OpenOptions } from '../open-gateway.ts';

export interface StoreAccess {
  /** What a gateway gets of it: the keys of the store as they are now, and what belongs to them. */
  readonly gatewayOptions: Required<Pick<OpenOptions, 'keys' | 'limits' | 'callerUsage' | 'storedIds'>>;
  readonly place: StorePlace;
  /** Reads changed keys now instead of at the next interval. */
  refresh(): void;
  readonly renewAddress: Store['renewAddress'];
  /** As for `SharedLimits`. */
  readonly renewRedis: (url: string) => void;
  /** Closes the store, when nothing is served any more. */
  close(): Promise<void>;
}

/**
 * @param store closed with the accounts
 * @param diagnostics receives a sentence when the store becomes unusable, and when it works again
 * @throws Error if the keys or their spending cannot be read. Only the store is open then.
 */
export async function openStoreAccess(
  store: Store,
  config: Pick<Config, 'usage' | 'audit' | 'redis' | 'workers' | 'keys' | 'groups' | 'identities'>,
  { info, problem }: Pick<Diagnostics, 'info' | 'problem'>,
): Promise<StoreAccess> {
  const { usage, audit } = config;
  const { limits, followed } = await sayIfSlow(readStore(store, config, { info, problem }), () =>
    info(slowStart(store.place)),
  );
  const forgetting = scheduleUsageDeletion(store, usage, (error) =>
    problem(`Old usage cannot be deleted: ${getReason(error)}`),
  );
  const forgettingAudit =
    audit.keepDays === undefined
      ? undefined
      : scheduleAuditDeletion(store, audit.keepDays, (error) =>
          problem(`Old entries of the audit trail cannot be deleted: ${getReason(error)}`),
        );
  const storedIds = openStoredIds({ table: ownedTable(store), onTrouble: problem, onRecovered: info });
  const forgettingIds = scheduleStoredIdDeletion(store, (error) =>
    problem(`What is stored at vendors cannot be forgotten: ${getReason(error)}`),
  );
  return {
    gatewayOptions: {
      keys: followed.keys,
      limits,
      callerUsage: openCallerUsage(store, usage.timeZone),
      storedIds,
    },
    place: store.place,
    refresh() {
      // A failure here is reported at the next interval.
      followed.refresh().catch(() => {});
    },
    renewAddress: store.renewAddress,
    renewRedis: limits.renewRedis,
    async close() {
      // A statement that comes after the store is closed would fail.
      await Promise.all([
        followed.stop(),
        limits.close(),
        forgetting.stop(),
        forgettingAudit?.stop(),
        forgettingIds.stop(),
        storedIds.close(),
      ]);
      await store.close();
    },
  };
}

/** Reads what the first request needs: what is spent of all budgets, and the keys. It leaves nothing open if it fails. */
async function readStore(
  store: Store,
  config: Pick<Config, 'usage' | 'redis' | 'workers' | 'keys' | 'groups' | 'identities'>,
  { info, problem }: Pick<Diagnostics, 'info' | 'problem'>,
) {
  const { usage, redis, workers } = config;
  const limits = await openLimits({
    ...(redis.url !== undefined && { redisUrl: redis.url }),
    workers,
    timeZone: usage.timeZone,
    stored: storedSpending(store),
    storedOfGroups: storedSpending(store, 'group'),
    storedOfTags: storedTagSpending(store),
    storedByModel: openSpendingByModel(store, config),
    onTrouble: problem,
    onRecovered: info,
  });
  try {
    return { limits, followed: await watchKeys(store, { onTrouble: problem, onRecovered: info }) };
  } catch (error) {
    await limits.close();
    throw error;
  }
}

function slowStart(place: StorePlace): string {
  return `The keys, and what they and their groups have spent, are being read from the store ${describePlace(place)}. With very many keys this takes a minute or more, and while a table is locked it waits.`;
}

/**
 * The spending on each model of those who have limits for some models. What others have spent on each would take hundreds of
 * bytes for each key and model. It is read when they get such a limit.
 */
function openSpendingByModel(
  store: Store,
  { keys, groups, identities }: Pick<Config, 'keys' | 'groups' | 'identities'>,
) {
  const stored = sql<boolean>`model_limits is not null`;
  const limited = (all: readonly { readonly name: string; readonly modelLimits?: unknown }[]) =>
    all.filter(({ modelLimits }) => modelLimits !== undefined).map(({ name }) => name);
  const beginnings = limited(identities).map(namePrefix);
  return {
    keys: storedByModel(store, 'key', { stored, names: limited(keys), beginnings }),
    groups: storedByModel(store, 'group', { stored, names: limited(groups) }),
  };
}
