/** What a single caller has used, for itself: read from the store, and cached for a moment because callers may ask often. */

import { sql } from 'kysely';
import type { Spent } from '../../access/limits/spending.ts';
import { storedSpending } from '../../access/limits/stored-spending.ts';
import { openUsedLately } from '../../access/limits/used-lately.ts';
import { addDays, formatDay } from '../../lib/calendar.ts';
import type { Store } from '../../store/store.ts';

/** What a caller used on one day. */
export interface CallerDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  /** US dollars: what is known, and what is estimated beyond that. */
  readonly cost: number;
  readonly estimated_cost: number;
}

export interface CallerUsage {
  readonly spent: Spent;
  /** The days with usage among the last `DAYS`, the latest first. */
  readonly days: readonly CallerDay[];
}

/** Reads what the caller of a name used. @throws if the store cannot be read. */
export type ReadCallerUsage = (name: string) => Promise<CallerUsage>;

/** How many days are shown, including today. */
export const DAYS = 30;

/** How long an answer is cached, in milliseconds. */
const CACHED = 2_000;

/** @param timeZone of the days. */
export function openCallerUsage(store: Store, timeZone: string): ReadCallerUsage {
  const spending = storedSpending(store);
  const cached = openUsedLately<{ readonly until: number; readonly usage: Promise<CallerUsage> }>(CACHED);

  async function read(name: string): Promise<CallerUsage> {
    const today = formatDay(Date.now(), timeZone);
    const spent = (await spending(today, new Set([name]))).get(name);
    return {
      spent: spent ?? { day: 0, week: 0, month: 0, total: 0 },
      days: await readDays(store, name, today),
    };
  }

  return (name) => {
    const now = performance.now();
    const known = cached.get(name, now);
    if (known !== undefined && now < known.until) return known.usage;
    const usage = read(name);
    cached.set(name, { until: now + CACHED, usage }, now);
    return usage;
  };
}

/** Each day is named: so the index, which begins with the day and the key, finds the rows without reading others. */
function readDays({ db }: Store, name: string, today: string): Promise<CallerDay[]> {
  const days = Array.from({ length: DAYS }, (_, at) => addDays(today, -at));
  const sum = (column: 'requests' | 'input' | 'output' | 'cost' | 'estimated_cost') =>
    sql<number>`coalesce(sum(${sql.ref(column)}), 0)`.as(column);
  return db
    .selectFrom('gateway_usage_days')
    .where('day', 'in', days)
    .where('key', '=', name)
    .select(['day', sum('requests'), sum('input'), sum('output'), sum('cost'), sum('estimated_cost')])
    .groupBy('day')
    .orderBy('day', 'desc')
    .execute();
}
