/**
 * Columns of one type, which the migrations add to the tables that they create. Released migrations are written in these, so
 * they never change either.
 */

import type { CreateTableBuilder } from 'kysely';
import { wordList } from '../../lib/words.ts';

type ColumnType = 'text' | 'integer' | 'bigint' | 'double precision';
type Table = CreateTableBuilder<string, string>;

/** Adds columns that may be null. */
export function optional(type: ColumnType, names: string): (table: Table) => Table {
  return (table) => wordList(names).reduce((columns, name) => columns.addColumn(name, type), table);
}

/** Adds columns that are never null. */
export function required(type: ColumnType, names: string): (table: Table) => Table {
  return (table) =>
    wordList(names).reduce((columns, name) => columns.addColumn(name, type, (one) => one.notNull()), table);
}
