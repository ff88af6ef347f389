/**
 * The tables of sums. Those of days are the source; the others hold sums of these sums, so that a report over millions of
 * days reads thousands of rows.
 */

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnList } from './column-list.ts';
import { type Tables, USAGE_SUMS } from './tables.ts';

/** A table of sums of sums: its columns besides the sums, and the table that it sums up. */
export interface Rollup<Column extends string = string> {
  readonly table: keyof Tables;
  readonly of: readonly [Column, ...Column[]];
  readonly source: keyof Tables;
}

/** Per month, and per day without keys. */
export const ROLLUPS = [
  {
    table: 'gateway_usage_months',
    of: ['month', 'key', 'model', 'vendor'],
    source: 'gateway_usage_days',
  },
  {
    table: 'gateway_usage_tag_months',
    of: ['month', 'key', 'model', 'vendor', 'tag'],
    source: 'gateway_usage_tags',
  },
  {
    table: 'gateway_usage_group_months',
    of: ['month', 'key', 'model', 'vendor', 'group_name'],
    source: 'gateway_usage_groups',
  },
  {
    table: 'gateway_usage_models',
    of: ['day', 'model', 'vendor'],
    source: 'gateway_usage_days',
  },
] as const satisfies readonly Rollup[];

/** A column of a table of sums, as an expression over one that has days. */
export function sumColumn(column: string): RawBuilder<unknown> {
  return column === 'month' ? sql`substr(day, 1, 7)` : sql.ref(column);
}

/**
 * What to do, in an INSERT, where the table has sums of the same group already: to add to them. It follows ON CONFLICT.
 * @param of the columns by which the sums are grouped and unique.
 */
export function addToSums(
  table: string,
  of: readonly string[],
  sums: readonly string[],
): RawBuilder<unknown> {
  const added = sums.map(
    (sum) => sql`${sql.ref(sum)} = ${sql.ref(`${table}.${sum}`)} + ${sql.ref(`excluded.${sum}`)}`,
  );
  return sql`(${columnList(of)}) do update set ${sql.join(added)}`;
}

/** Fills a table of sums of sums, month by month: a database bounds how long one statement may take. */
export async function sumUpAll<T>(db: Kysely<T>, rollup: Rollup): Promise<void> {
  const months = sql<{
    month: string;
  }>`select distinct substr(day, 1, 7) as month from ${sql.table(rollup.source)}`;
  for (const { month } of (await months.execute(db)).rows) await sumUp(db, rollup, month);
}

/** Sums up the days of a month, YYYY-MM, in a table of sums of sums. */
async function sumUp<T>(db: Kysely<T>, { table, of, source }: Rollup, month: string): Promise<void> {
  const columns = sql.join([...of, ...USAGE_SUMS].map((column) => sql.ref(column)));
  const groups = sql.join(of.map(sumColumn));
  const sums = sql.join(USAGE_SUMS.map((column) => sql`sum(${sql.ref(column)})`));
  await sql`insert into ${sql.table(table)} (${columns})
    select ${groups}, ${sums} from ${sql.table(source)} where ${inMonth(month)}
    group by ${groups}`.execute(db);
}

/** The condition that a day is in a month, which the index of days can answer. */
export function inMonth(month: string): RawBuilder<unknown> {
  return sql`day >= ${`${month}-01`} and day <= ${`${month}-31`}`;
}
