/** What was used, by day, group, key, model, vendor or tag, or several of them: from the sums of the days. */

import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { USAGE_DAY, USAGE_SUMS, type UsageDayRow, type UsageSums } from '../../store/tables.ts';
import { SANDBOX } from '../../upstream/vendor.ts';

export const dimensions = ['day', 'group', 'key', 'model', 'vendor', 'tag'] as const;

/** What a report can have a line for. */
export type Dimension = (typeof dimensions)[number];

export interface UsageQuery {
  /** Days of UTC, YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
  /** One at least. Not by group and by tag at once, which no sums are of. */
  readonly by: readonly Dimension[];
  /** Only of this group, this key, this model, this tag. */
  readonly group?: string;
  readonly key?: string;
  readonly model?: string;
  readonly tag?: string;
  /** What the sandbox answered, instead of what vendors did: they are never in one report. */
  readonly simulated?: boolean;
  /** Lines, at most. */
  readonly limit: number;
}

export interface UsageLine {
  /** Of which day, group, key, model, vendor, tag: those asked for. '' stands for none. */
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
    .select(summedUp)
    // What is all of it under tags, or of groups, has none left without one.
    .having(sql`sum(days.requests)`, '>', 0);
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

/** The days, as if nothing had a tag, and no key were of a group. */
function all({ db }: Store) {
  return db
    .selectFrom('gateway_usage_days')
    .select([...USAGE_DAY, NONE.as('tag'), NONE.as('group'), ...USAGE_SUMS]);
}

/** The days, of which what has a tag is taken out, and put beside them. */
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

/** The same with what was used by keys of a group. */
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

function lineOf(
  row: UsageDayRow & Readonly<Record<'tag' | 'group', string>>,
  by: readonly Dimension[],
): UsageLine {
  const { day, group, key, model, vendor, tag, ...sums } = row;
  const all = { day, group, key, model, vendor, tag };
  return { of: Object.fromEntries(by.map((dimension) => [dimension, all[dimension]])), sums };
}
