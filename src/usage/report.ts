/** What was used, by day, key, model or vendor, or several of them: from the sums of the days. */

import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import { USAGE_SUMS, type UsageDayRow, type UsageSums } from '../store/tables.ts';

export const dimensions = ['day', 'key', 'model', 'vendor'] as const;

/** What a report can have a line for. */
export type Dimension = (typeof dimensions)[number];

export interface UsageQuery {
  /** Days of UTC, YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
  /** One at least. */
  readonly by: readonly Dimension[];
  /** Only of this key, this model. */
  readonly key?: string;
  readonly model?: string;
  /** Lines, at most. */
  readonly limit: number;
}

export interface UsageLine {
  /** Of which day, key, model, vendor: those asked for. '' stands for none. */
  readonly of: { readonly [D in Dimension]?: string };
  readonly sums: UsageSums;
}

export interface UsageReport {
  /** The latest day first, then what cost most. */
  readonly lines: readonly UsageLine[];
  /** Of everything asked for, whether it has a line or not. */
  readonly total: UsageSums;
  /** Whether there are more lines than `limit`. */
  readonly more: boolean;
}

/** The report a query asks for. */
export async function reportUsage(store: Store, query: UsageQuery): Promise<UsageReport> {
  const { by, limit } = query;
  const asked = daysAsked(store, query);
  const grouped = asked
    .groupBy([...by])
    .select([...by])
    .select(summedUp);
  const latest = by.includes('day') ? grouped.orderBy('day', 'desc') : grouped;
  const ordered = latest.orderBy('cost', 'desc').orderBy('requests', 'desc');
  const [rows, total] = await Promise.all([
    // Ties too have an order, or the same question would have several answers.
    by
      .reduce((lines, dimension) => lines.orderBy(dimension), ordered)
      .limit(limit + 1)
      .execute(),
    asked.select(summedUp).executeTakeFirstOrThrow(),
  ]);
  return {
    lines: rows.slice(0, limit).map((row) => lineOf(row, by)),
    total,
    more: rows.length > limit,
  };
}

function daysAsked({ db }: Store, { from, to, key, model }: UsageQuery) {
  return db
    .selectFrom('gateway_usage_days')
    .where('day', '>=', from)
    .where('day', '<=', to)
    .$if(key !== undefined, (days) => days.where('key', '=', key ?? ''))
    .$if(model !== undefined, (days) => days.where('model', '=', model ?? ''));
}

function summedUp() {
  return USAGE_SUMS.map((column) =>
    sql<number>`coalesce(sum(${sql.ref(`gateway_usage_days.${column}`)}), 0)`.as(column),
  );
}

function lineOf(row: UsageDayRow, by: readonly Dimension[]): UsageLine {
  const { day, key, model, vendor, ...sums } = row;
  const all = { day, key, model, vendor };
  return { of: Object.fromEntries(by.map((dimension) => [dimension, all[dimension]])), sums };
}
