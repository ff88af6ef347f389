/** Limits as a process has them: counted in memory, or in Redis where several processes share one. */

import { repeat } from '../../lib/repeat.ts';
import type { Counters } from './account.ts';
import { inFlightHere, inFlightShared } from './in-flight.ts';
import { type AllCounters, type Limits, limitsOf } from './limits.ts';
import { openShares } from './model-accounts.ts';
import { modelSpending, type StoredByModel } from './model-spending.ts';
import { openRedis, type RedisConnection } from './redis.ts';
import { type AtFirst, openSpending, type StoredSpending } from './spending.ts';
import { type UsageWindow, windowHere, windowShared } from './window.ts';

export interface LimitOptions {
  /** Where Redis or Valkey is; absent: none. */
  readonly redisUrl?: string;
  /**
   * Processes that serve here: without Redis, or while it is away, each has an even share of what is counted by the
   * minute and in flight.
   */
  readonly workers?: number;
  /** What was spent before this process began, and is by others: by key, and by group. */
  readonly stored?: StoredSpending;
  readonly storedOfGroups?: StoredSpending;
  /** The same of each model. */
  readonly storedByModel?: { readonly keys: StoredByModel; readonly groups: StoredByModel };
  /** Told, in a sentence, when Redis or the store cannot be asked. */
  readonly onTrouble?: (message: string) => void;
  /** The same, when it can be again. */
  readonly onRecovered?: (message: string) => void;
  /** Seconds of a window of requests or tokens; other than a minute for tests. */
  readonly window?: number;
  /** Milliseconds since 1970: the clock of budgets. */
  readonly now?: () => number;
}

/** How often to look what others have spent, in milliseconds. */
const REFRESH = 2_000;

/** Limits in the memory of this process. */
export function limitsInMemory({
  window = 60,
  now = Date.now,
}: Pick<LimitOptions, 'window' | 'now'> = {}): Limits {
  const counters = (): AllCounters => allCountersOf('', { window, now });
  return limitsOf({ keys: counters(), groups: counters() }, now);
}

interface Counting {
  /** Seconds. */
  readonly window: number;
  readonly now: () => number;
  readonly stored?: StoredSpending | undefined;
  readonly atFirst?: AtFirst;
  /** Where several processes count together; absent: this one by itself. */
  readonly connection?: RedisConnection | undefined;
}

/** @param prefix of what the figures are called in Redis. */
function countersOf(prefix: string, { window, now, stored, atFirst, connection }: Counting): Counters {
  const redis = connection?.redis;
  const counting = (name: string): UsageWindow =>
    connection === undefined
      ? windowHere(window)
      : windowShared(prefix + name, window, connection.redis, connection.onFault);
  return {
    requests: counting('requests'),
    tokens: counting('tokens'),
    inFlight: redis === undefined ? inFlightHere() : inFlightShared(`${prefix}in-flight`, redis),
    spending: openSpending(`${prefix}spent`, now, stored, redis, atFirst, connection?.onFault),
  };
}

/** @param byModel what was spent on each model. */
function allCountersOf(prefix: string, counting: Counting, byModel?: StoredByModel): AllCounters {
  const shares = openShares();
  const stored = byModel && modelSpending(byModel, shares);
  const { stored: _, ...rest } = counting;
  return {
    all: countersOf(prefix, counting),
    byModel: { ...countersOf(`${prefix}model-`, { ...rest, ...stored }), shares },
  };
}

/** @throws where the store cannot say what was spent. */
export async function openLimits({
  redisUrl,
  workers = 1,
  stored,
  storedOfGroups,
  storedByModel,
  onTrouble = () => {},
  onRecovered = () => {},
  window = 60,
  now = Date.now,
}: LimitOptions): Promise<Limits> {
  const connection = redisUrl === undefined ? undefined : await openRedis(redisUrl, onTrouble, onRecovered);
  // The names of those of keys have no prefix: processes of an earlier version count by the same.
  const keys = allCountersOf('', { window, now, stored, connection }, storedByModel?.keys);
  const groups = allCountersOf(
    'group-',
    { window, now, stored: storedOfGroups, connection },
    storedByModel?.groups,
  );
  const refresh = async (): Promise<void> => {
    for (const { all, byModel } of [keys, groups]) {
      await all.spending.refresh();
      await byModel.spending.refresh();
    }
  };
  await refresh();
  // A store that is slow is not asked once more meanwhile: all else that it is asked would wait behind that. Of one that
  // is away others tell: then what is known here counts.
  const refreshing =
    stored !== undefined || storedOfGroups !== undefined || storedByModel !== undefined
      ? repeat(() => refresh().catch(() => undefined), REFRESH)
      : undefined;
  const limits = limitsOf({ keys, groups }, now, () => (connection?.isShared() ? 1 : workers));
  return {
    ...limits,
    close() {
      refreshing?.stop();
      limits.close();
      connection?.close();
    },
  };
}
