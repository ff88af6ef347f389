/** Reports of usage by day, group, key, model, vendor, tag, or several of them, from the sums of the days. */

import { sql } from 'kysely';
import { columnList } from '../../store/column-list.ts';
import type { Store } from '../../store/store.ts';
import { USAGE_SUMS, type UsageDayRow, type UsageSums } from '../../store/tables.ts';
import { reportRows } from './report-sources.ts';
import type { Dimension, UsageQuery } from './usage-dimensions.ts';

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

/** A row of a report: a line in the place 1, or their total in the place 0. */
type ReportRow = UsageDayRow & Readonly<Record<'tag' | 'group', string>> & { readonly place: number };

/** Runs a query. @returns the lines and their total. */
export async function reportUsage({ db }: Store, query: UsageQuery): Promise<UsageReport> {
  const { by, limit, group, tag } = query;
  const dimensions = columnList(by);
  const total = sql.join(
    USAGE_SUMS.map((column) => sql`coalesce(sum(${sql.ref(column)}), 0) as ${sql.ref(column)}`),
  );
  const only = [
    ...(group === undefined ? [] : [sql`${sql.ref('group')} = ${group}`]),
    ...(tag === undefined ? [] : [sql`tag = ${tag}`]),
  ];
  // Equal lines need an order too, or the same query would have several answers.
  const order = sql.join([
    ...(by.includes('day') ? [sql`day desc`] : []),
    sql`cost desc`,
    sql`requests desc`,
    ...by.map((dimension) => sql.ref(dimension)),
  ]);
  // The rows are read once, for the lines and for their total. If everything has a tag or a group, nothing is left for
  // the line without one.
  const { rows } = await sql<ReportRow>`
    with lines as materialized (
      select ${dimensions}, ${total} from (${reportRows(query)}) as days
      ${only.length === 0 ? sql`` : sql`where ${sql.join(only, sql` and `)}`}
      group by ${dimensions}
      having sum(requests) > 0
    )
    select * from (select 1 as place, lines.* from lines order by ${order} limit ${limit + 1}) as first
    union all
    select 0 as place, ${sql.join(by.map((dimension) => sql`'' as ${sql.ref(dimension)}`))}, ${total} from lines
    order by place, ${order}`.execute(db);
  const [sums, ...lines] = rows;
  if (sums === undefined) throw new TypeError('A report has no total.');
  return {
    lines: lines.slice(0, limit).map((row) => renderLine(row, by)),
    total: renderLine(sums, by).sums,
    more: lines.length > limit,
  };
}

function renderLine(row: ReportRow, by: readonly Dimension[]): UsageLine {
  const { day, group, key, model, vendor, tag, place: _, ...sums } = row;
  const all = { day, group, key, model, vendor, tag };
  return { of: Object.fromEntries(by.map((dimension) => [dimension, all[dimension]])), sums };
}
