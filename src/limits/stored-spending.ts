/** What the store has of what keys have spent: the sums of the days. */

import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import type { StoredSpending } from './spending.ts';

export function storedSpending({ db }: Store): StoredSpending {
  return async (day) => {
    const rows = await db
      .selectFrom('gateway_usage_days')
      .where('day', '>=', `${day.slice(0, 7)}-01`)
      .where('day', '<=', day)
      .groupBy('key')
      .select([
        'key',
        sql<number>`coalesce(sum(case when day = ${day} then cost else 0 end), 0)`.as('today'),
        sql<number>`coalesce(sum(cost), 0)`.as('month'),
      ])
      .execute();
    return new Map(rows.map(({ key, today, month }) => [key, { day: today, month }]));
  };
}
