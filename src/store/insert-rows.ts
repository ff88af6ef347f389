/** Inserts many rows at once, in the fastest way for either database. */

import { type RawBuilder, sql, type Transaction } from 'kysely';
import { columnList } from './column-list.ts';
import { forEachRow } from './sqlite/sqlite.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

const DO_NOTHING = sql`do nothing`;

/**
 * Inserts rows.
 * @param columns the columns to fill.
 * @param rows each with a field for every column, and maybe others.
 * @param onConflict what follows ON CONFLICT: as a rule, rows that exist already stay as they are.
 * @returns how many rows were new or changed.
 */
export async function insertRows(
  transaction: Transaction<Tables>,
  kind: Store['kind'],
  table: keyof Tables,
  columns: readonly string[],
  rows: readonly object[],
  onConflict: RawBuilder<unknown> = DO_NOTHING,
): Promise<bigint> {
  if (rows.length === 0) return 0n;
  const names = columnList(columns);
  const into = sql`insert into ${sql.table(table)} (${names})`;
  const { numAffectedRows = 0n } = await transaction.executeQuery(
    kind === 'sqlite'
      ? forEachRow(valuesOfRow(into, columns, onConflict).compile(transaction).sql, columns, rows)
      : rowsOfJson(into, names, table, rows, onConflict).compile(transaction),
  );
  return numAffectedRows;
}

function valuesOfRow(
  into: RawBuilder<unknown>,
  columns: readonly string[],
  onConflict: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const places = sql.raw(columns.map(() => '?').join(', '));
  return sql`${into} values (${places}) on conflict ${onConflict}`;
}

/**
 * Passes the rows as one parameter, a JSON array. To build a statement with a parameter for each of the 12,000 values
 * of a batch takes 10 ms (measured).
 */
function rowsOfJson(
  into: RawBuilder<unknown>,
  names: RawBuilder<unknown>,
  table: string,
  rows: readonly object[],
  onConflict: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    ${into}
    select ${names} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)
    on conflict ${onConflict}`;
}
