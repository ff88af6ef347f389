/** Opens the limits of a process: counted in memory, or in a Redis that several processes share. */

import { repeat } from '../../lib/repeat.ts';
import { reportTrouble } from '../../store/report-trouble.ts';
import { type Counters, MAX_ANSWER_TIME } from './account.ts';
import { localInFlight, sharedInFlight } from './in-flight.ts';
import { type AllCounters, type Limits, openLimitsOver } from './limits.ts';
import type { ModelLimitHolder } from './model-accounts.ts';
import { modelSpending, type StoredByModel } from './model-spending.ts';
import { openRecentlyUsed } from './recently-used.ts';
import { openRedis, type RedisConnection } from './redis.ts';
import { localReservations, sharedReservations } from './reservations.ts';
import { type InitialSpending, Spending, type StoredSpending } from './spending.ts';
import { localWindow, sharedWindow, type UsageWindow } from './window.ts';

export interface LimitOptions {
  /** The address of Redis or Valkey; absent means none. */
  readonly redisUrl?: string;
  /**
   * The number of processes that serve here. Without Redis, or while it is away, each of them enforces an even share of
   * the limits per minute and in flight.
   */
  readonly workers?: number;
  /** What keys and groups have spent: before this process began, and through other processes. */
  readonly stored?: StoredSpending;
  readonly storedOfGroups?: StoredSpending;
  readonly storedOfTags?: StoredSpending;
  /** The same for each model. */
  readonly storedByModel?: { readonly keys: StoredByModel; readonly groups: StoredByModel };
  /** Called with a sentence when Redis or the store cannot be used. */
  readonly onTrouble?: (message: string) => void;
  /** Called with a sentence when it can be used again. */
  readonly onRecovered?: (message: string) => void;
  /** Seconds of a window for requests or tokens; tests use other than a minute. */
  readonly window?: number;
  /** The clock of budgets, in milliseconds since 1970. */
  readonly now?: () => number;
  /** The time zone of their days, weeks and months; absent means UTC. */
  readonly timeZone?: string;
}

/** Milliseconds between two reads of what others have spent. */
const REFRESH = 2_000;

/** Limits that are counted in the memory of this process. */
export function limitsInMemory(options: Pick<LimitOptions, 'window' | 'now' | 'timeZone'> = {}): Limits {
  const { now = Date.now, timeZone } = options;
  return openLimitsOver(openAllCounters(options), { now, timeZone });
}

interface Counting {
  /** Seconds. */
  readonly window: number;
  readonly now: () => number;
  readonly timeZone?: string | undefined;
  readonly stored?: StoredSpending | undefined;
  readonly initial?: InitialSpending;
  readonly forgetsUnused?: boolean;
  /** The Redis in which several processes count together; absent: this process counts alone. */
  readonly connection?: RedisConnection | undefined;
}

/** @param prefix of the names of the figures in Redis. */
function openCounters(
  prefix: string,
  { window, now, timeZone, stored, initial, forgetsUnused, connection }: Counting,
): Counters {
  const redis = connection?.redis;
  const counting = (name: string): UsageWindow =>
    connection === undefined
      ? localWindow(window)
      : sharedWindow(prefix + name, window, connection.redis, connection.onFault);
  return {
    requests: counting('requests'),
    tokens: counting('tokens'),
    inFlight: redis === undefined ? localInFlight() : sharedInFlight(`${prefix}in-flight`, redis),
    spending: new Spending(`${prefix}spent`, {
      now,
      timeZone,
      stored,
      redis,
      initial,
      forgetsUnused,
      onFault: connection?.onFault,
    }),
    reservations: redis === undefined ? localReservations() : sharedReservations(`${prefix}reserved`, redis),
  };
}

/** @param byModel reads what was spent on each model. */
function findCounters(prefix: string, counting: Counting, byModel?: StoredByModel): AllCounters {
  const recent = openRecentlyUsed<ModelLimitHolder>(MAX_ANSWER_TIME);
  const stored = byModel && modelSpending(byModel, recent);
  const { stored: _, ...rest } = counting;
  return {
    all: openCounters(prefix, counting),
    byModel: { ...openCounters(`${prefix}model-`, { ...rest, ...stored }), recent },
  };
}

function openAllCounters(
  {
    window = 60,
    now = Date.now,
    timeZone,
    stored,
    storedOfGroups,
    storedOfTags,
    storedByModel,
  }: LimitOptions,
  connection?: RedisConnection,
) {
  const counting = { window, now, timeZone, connection };
  return {
    // The figures of keys have no prefix, because processes of an earlier version use the same names.
    keys: findCounters('', { ...counting, stored }, storedByModel?.keys),
    groups: findCounters('group-', { ...counting, stored: storedOfGroups }, storedByModel?.groups),
    tags: openCounters('tag-', {
      ...counting,
      stored: storedOfTags,
      // Callers choose tags, and may choose others every day.
      forgetsUnused: storedOfTags !== undefined,
    }),
  };
}

/** Limits whose Redis may get another user or password. */
export interface SharedLimits extends Limits {
  /** Makes later connections to Redis with the user and the password of this address. */
  renewRedis(url: string): void;
}

/** @throws if the store cannot say what was spent. The connection to Redis is closed then. */
export async function openLimits(options: LimitOptions): Promise<SharedLimits> {
  const { redisUrl, workers = 1, onTrouble = () => {}, onRecovered = () => {} } = options;
  const { stored, storedOfGroups, storedOfTags, storedByModel, now = Date.now, timeZone } = options;
  const connection = redisUrl === undefined ? undefined : await openRedis(redisUrl, onTrouble, onRecovered);
  const counters = openAllCounters(options, connection);
  const { keys, groups, tags } = counters;
  const refresh = async (): Promise<void> => {
    for (const { spending } of [keys.all, keys.byModel, groups.all, groups.byModel, tags])
      await spending.refresh();
  };
  try {
    await refresh();
  } catch (error) {
    connection?.close();
    throw error;
  }
  const reports = reportTrouble({ onTrouble, onRecovered });
  async function follow(): Promise<void> {
    try {
      await refresh();
      reports.worked('What other processes spend can be read from the store again.');
    } catch (error) {
      // A store can refuse this and still answer with its keys: it takes longer, or needs another table.
      reports.failed(
        'What other processes spend cannot be read from the store, so budgets go by what this one knows',
        error,
      );
    }
  }
  // While a slow store answers, it is not asked again: other queries would wait behind that.
  const refreshing =
    (stored ?? storedOfGroups ?? storedOfTags ?? storedByModel) === undefined
      ? undefined
      : repeat(follow, REFRESH);
  const limits = openLimitsOver(counters, { now, timeZone }, () => (connection?.isShared() ? 1 : workers));
  return {
    ...limits,
    renewRedis: (url) => connection?.renewAddress(url),
    async close() {
      await refreshing?.stop();
      await limits.close();
      connection?.close();
    },
  };
}
