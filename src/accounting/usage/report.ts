/** Reports of usage by day, group, key, model, vendor, tag, or several of them, from the sums of the days. */

import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { USAGE_DAY, USAGE_SUMS, type UsageDayRow, type UsageSums } from '../../store/tables.ts';
import { SANDBOX } from '../../upstream/vendor.ts';

export const dimensions = ['day', 'group', 'key', 'model', 'vendor', 'tag'] as const;

/** What a report can be grouped by. */
export type Dimension = (typeof dimensions)[number];

export interface UsageQuery {
  /** Days of UTC, YYYY-MM-DD, both inclusive. */
  readonly from: string;
  readonly to: string;
  /** At least one. Group and tag cannot be combined, because there are no sums by both. */
  readonly by: readonly Dimension[];
  /** Only this group, key, model or tag. */
  readonly group?: string;
  readonly key?: string;
  readonly model?: string;
  readonly tag?: string;
  /** Whether to report what the sandbox answered instead of what vendors did; never both in one report. */
  readonly simulated?: boolean;
  /** The most lines. */
  readonly limit: number;
}

export interface UsageLine {
  /** The day, group, key, model, vendor and tag of the line, as far as it was asked for. '' means none. */
  readonly of: { readonly [D in Dimension]?: string };
  readonly sums: UsageSums;
}

export interface UsageReport {
  /** The latest day first, then the highest cost. */
  readonly lines: readonly UsageLine[];
  /** Of everything asked for, whether or not it has a line. */
  readonly total: UsageSums;
  /** Whether there are more lines than `limit`. */
  readonly more: boolean;
}

/** Runs a query. @returns the lines and their total. */
export async function reportUsage(store: Store, query: UsageQuery): Promise<UsageReport> {
  const { by, limit } = query;
  const asked = daysAsked(store, query);
  const grouped = asked
    .groupBy([...by])
    .select([...by])
    .select(summedUp)
    // If everything has a tag or a group, nothing is left for the line without one.
    .having(sql`sum(days.requests)`, '>', 0);
  const latest = by.includes('day') ? grouped.orderBy('day', 'desc') : grouped;
  const ordered = latest.orderBy('cost', 'desc').orderBy('requests', 'desc');
  const [rows, total] = await Promise.all([
    // Equal lines need an order too, or the same query would have several answers.
    by
      .reduce((lines, dimension) => lines.orderBy(dimension), ordered)
      .limit(limit + 1)
      .execute(),
    asked.select(summedUp).executeTakeFirstOrThrow(),
  ]);
  return {
    lines: rows.slice(0, limit).map((row) => renderLine(row, by)),
    total,
    more: rows.length > limit,
  };
}

function daysAsked(store: Store, { by, from, to, group, key, model, tag, simulated = false }: UsageQuery) {
  const isAsked = (dimension: Dimension, one: string | undefined) =>
    by.includes(dimension) || one !== undefined;
  const days = isAsked('tag', tag) ? byTag(store) : isAsked('group', group) ? byGroup(store) : all(store);
  return store.db
    .selectFrom(days.as('days'))
    .where('day', '>=', from)
    .where('day', '<=', to)
    .where('vendor', simulated ? '=' : '!=', SANDBOX)
    .$if(group !== undefined, (asked) => asked.where('group', '=', group ?? ''))
    .$if(key !== undefined, (asked) => asked.where('key', '=', key ?? ''))
    .$if(model !== undefined, (asked) => asked.where('model', '=', model ?? ''))
    .$if(tag !== undefined, (asked) => asked.where('tag', '=', tag ?? ''));
}

const NONE = sql<string>`''`;

/** The sums of the days, without tags and groups. */
function all({ db }: Store) {
  return db
    .selectFrom('gateway_usage_days')
    .select([...USAGE_DAY, NONE.as('tag'), NONE.as('group'), ...USAGE_SUMS]);
}

/** The sums of the days with those of tags taken out and added as lines of their own. */
function byTag(store: Store) {
  const tags = store.db.selectFrom('gateway_usage_tags');
  return all(store)
    .unionAll(
      tags
        .select([...USAGE_DAY, NONE.as('tag'), NONE.as('group')])
        .select((of) => USAGE_SUMS.map((column) => of.neg(of.ref(column)).as(column))),
    )
    .unionAll(tags.select([...USAGE_DAY, 'tag', NONE.as('group'), ...USAGE_SUMS]));
}

/** The same for the sums of groups. */
function byGroup(store: Store) {
  const groups = store.db.selectFrom('gateway_usage_groups');
  return all(store)
    .unionAll(
      groups
        .select([...USAGE_DAY, NONE.as('tag'), NONE.as('group')])
        .select((of) => USAGE_SUMS.map((column) => of.neg(of.ref(column)).as(column))),
    )
    .unionAll(groups.select([...USAGE_DAY, NONE.as('tag'), 'group_name as group', ...USAGE_SUMS]));
}

function summedUp() {
  return USAGE_SUMS.map((column) => sql<number>`coalesce(sum(${sql.ref(`days.${column}`)}), 0)`.as(column));
}

function renderLine(
  row: UsageDayRow & Readonly<Record<'tag' | 'group', string>>,
  by: readonly Dimension[],
): UsageLine {
  const { day, group, key, model, vendor, tag, ...sums } = row;
  const all = { day, group, key, model, vendor, tag };
  return { of: Object.fromEntries(by.map((dimension) => [dimension, all[dimension]])), sums };
}
