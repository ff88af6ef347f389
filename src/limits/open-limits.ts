/** Limits as a process has them: counted in memory, or in Redis where several processes share one. */

import { repeat } from '../repeat.ts';
import { inFlightHere, inFlightShared } from './in-flight.ts';
import { type Limits, limitsOf } from './limits.ts';
import { openRedis } from './redis.ts';
import { openSpending, type StoredSpending } from './spending.ts';
import { type UsageWindow, windowHere, windowShared } from './window.ts';

export interface LimitOptions {
  /** Where Redis or Valkey is; absent: none. */
  readonly redisUrl?: string;
  /**
   * Processes that serve here: without Redis, or while it is away, each has an even share of what is counted by the
   * minute and in flight.
   */
  readonly workers?: number;
  /** What was spent before this process began, and is by others. */
  readonly stored?: StoredSpending;
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
  return limitsOf(
    {
      requests: windowHere(window),
      tokens: windowHere(window),
      inFlight: inFlightHere(),
      spending: openSpending(now, undefined, undefined),
    },
    now,
  );
}

/** @throws where the store cannot say what was spent. */
export async function openLimits({
  redisUrl,
  workers = 1,
  stored,
  onTrouble = () => {},
  onRecovered = () => {},
  window = 60,
  now = Date.now,
}: LimitOptions): Promise<Limits> {
  const connection = redisUrl === undefined ? undefined : await openRedis(redisUrl, onTrouble, onRecovered);
  const redis = connection?.redis;
  const spending = openSpending(now, stored, redis);
  const inFlight = redis === undefined ? inFlightHere() : inFlightShared(redis);
  const counting = (name: string): UsageWindow =>
    redis === undefined ? windowHere(window) : windowShared(name, window, redis);
  const counters = { requests: counting('requests'), tokens: counting('tokens'), inFlight, spending };
  await spending.refresh();
  // A store that is slow is not asked once more meanwhile: all else that it is asked would wait behind that. Of one that
  // is away others tell: then what is known here counts.
  const refreshing = stored && repeat(() => spending.refresh().catch(() => undefined), REFRESH);
  return {
    ...limitsOf(counters, now, () => (connection?.isShared() ? 1 : workers)),
    close() {
      refreshing?.stop();
      inFlight.close();
      connection?.close();
    },
  };
}
