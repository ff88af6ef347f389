/** What the store has of what keys have spent: the sums of the days. */

import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import type { StoredSpending } from './spending.ts';

/** Of more keys than this a query does not name each: databases take so many values only. */
const MAX_NAMED = 1_000;

export function storedSpending({ db }: Store): StoredSpending {
  return async (day, keys) => {
    const named = keys !== undefined && keys.size <= MAX_NAMED ? [...keys] : undefined;
    const rows = await db
      .selectFrom('gateway_usage_days')
      .where('day', '>=', `${day.slice(0, 7)}-01`)
      .where('day', '<=', day)
      .$if(named !== undefined, (days) => days.where('key', 'in', named ?? []))
      .groupBy('key')
      .select([
        'key',
        sql<number>`coalesce(sum(case when day = ${day} then cost + estimated_cost else 0 end), 0)`.as(
          'today',
        ),
        sql<number>`coalesce(sum(cost + estimated_cost), 0)`.as('month'),
      ])
      .execute();
    return new Map(rows.map(({ key, today, month }) => [key, { day: today, month }]));
  };
}
