/** Deletes many rows piece by piece, so that others can write in between. */

import { type RawBuilder, sql } from 'kysely';
import { columnList } from './column-list.ts';
import { rest } from './rest.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** Rows that are deleted at once. Meanwhile nobody else can write to SQLite, for about 50 ms (measured). */
const PIECE = 5_000;

/** Rows of a table that are too old. */
export interface OldRows {
  readonly table: keyof Tables;
  /** The columns in whose order rows are deleted. An index begins with them. */
  readonly by: readonly [string, ...string[]];
  /** The value of the first of these columns below which rows are old. */
  readonly before: string | number;
}

/** Deletes old rows, the oldest first. @param signal ends it between two pieces. */
export async function deleteInPieces(
  { db }: Pick<Store, 'db'>,
  { table, by, before }: OldRows,
  signal?: AbortSignal,
): Promise<void> {
  const [first] = by;
  const columns = columnList(by);
  const isOld = sql`${sql.ref(first)} < ${before}`;
  // PostgreSQL keeps deleted rows in its index for a while, so each piece starts after the one before.
  let after = sql``;
  while (signal?.aborted !== true) {
    const { rows } = await sql<Readonly<Record<string, unknown>>>`
      select ${columns} from ${sql.table(table)} where ${after} ${isOld}
      order by ${columns} limit 1 offset ${sql.lit(PIECE - 1)}`.execute(db);
    const last = rows[0] && listValues(rows[0], by);
    // With both conditions, SQLite would look for the end of a piece by the first, and read all that is old.
    const ends = last === undefined ? isOld : sql`(${columns}) <= (${last})`;
    await sql`delete from ${sql.table(table)} where ${after} ${ends}`.execute(db);
    if (last === undefined) return;
    after = sql`(${columns}) > (${last}) and`;
    await rest(signal);
  }
}

function listValues(row: Readonly<Record<string, unknown>>, columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => row[column]));
}
