/** Names of columns in statements. */

import { type RawBuilder, sql } from 'kysely';

/** Renders column names as a list for a statement. */
export function columnList(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)));
}
