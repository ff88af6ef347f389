/** What a single caller has used, for itself: read from the store, and cached for a moment because callers may ask often. */

import { sql, type Transaction } from 'kysely';
import { firstDays } from '../../access/limits/periods.ts';
import { openRecentlyUsed } from '../../access/limits/recently-used.ts';
import type { Spent } from '../../access/limits/spending.ts';
import { addDays, formatDay } from '../../lib/calendar.ts';
import type { Store } from '../../store/store.ts';
import { asStoreFailure } from '../../store/store-failure.ts';
import type { Tables } from '../../store/tables.ts';

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

/** Reads what the caller of a name used. @throws GatewayError `internal` if the store cannot be read. */
export type ReadCallerUsage = (name: string) => Promise<CallerUsage>;

/** How many days are shown, including today. */
export const DAYS = 30;

const MAX_MONTH_DAYS = 31;

/** How long an answer is cached, in milliseconds. */
const CACHED = 2_000;

/** @param timeZone of the days. */
export function openCallerUsage(store: Store, timeZone: string): ReadCallerUsage {
  const cached = openRecentlyUsed<{ readonly until: number; readonly usage: Promise<CallerUsage> }>(CACHED);

  return (name) => {
    const now = performance.now();
    const known = cached.get(name, now);
    if (known !== undefined && now < known.until) return known.usage;
    const usage = read(store, name, formatDay(Date.now(), timeZone)).catch(async (error: unknown) => {
      throw await asStoreFailure(store, error);
    });
    cached.set(name, { until: now + CACHED, usage }, now);
    return usage;
  };
}

/** Everything is read as it is at one moment. Otherwise a request that is being written is in some figures only. */
function read({ db }: Store, name: string, today: string): Promise<CallerUsage> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const days = await readDays(transaction, name, today);
      const total = await readTotal(transaction, name);
      const first = firstDays(today);
      const since = (start: string): number =>
        days.reduce((sum, { day, cost, estimated_cost: estimated }) => {
          return day < start ? sum : sum + cost + estimated;
        }, 0);
      const oldest = addDays(today, 1 - DAYS);
      return {
        spent: { day: since(today), week: since(first.week), month: since(first.month), total },
        days: days.filter(({ day }) => day >= oldest),
      };
    });
}

/**
 * The days that are shown, and those of the present month. Each day is named: so the index, which begins with the day and
 * the key, finds the rows without reading others.
 */
function readDays(db: Transaction<Tables>, name: string, today: string): Promise<CallerDay[]> {
  const days = Array.from({ length: Math.max(DAYS, MAX_MONTH_DAYS) }, (_, at) => addDays(today, -at));
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

async function readTotal(db: Transaction<Tables>, name: string): Promise<number> {
  const { total } = await db
    .selectFrom('gateway_spent')
    .where('holder', '=', 'key')
    .where('name', '=', name)
    .select(sql<number>`coalesce(sum(cost), 0)`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}
