/**
 * Erases who a caller was from recorded usage, on request. What was used stays in the sums of models, vendors and groups,
 * so that reports of cost stay true.
 */

import { sql, type Transaction } from 'kysely';
import { audited } from '../../store/audit.ts';
import { columnList } from '../../store/column-list.ts';
import { countDeletion } from '../../store/keys/changes.ts';
import type { Store } from '../../store/store.ts';
import { type Tables, USAGE_SUMS } from '../../store/tables.ts';
import { addToSums } from '../../store/usage-sums.ts';
import { OF_ALL, OF_GROUPS, OF_TAGS } from './write-usage.ts';

/** The name under which the usage of erased keys is kept. No key can have it. */
export const ERASED = '(erased)';

/** Whom to erase: a key or the caller of a token by its name, or an end user by the tag. */
export type Erasing = { readonly key: string } | { readonly tag: string };

/** What was erased, in rows. */
export interface ErasedRows {
  readonly exchanges: number;
  readonly sums: number;
}

/** A key that is not revoked is not erased: the next request would record it again. */
export const STILL_USED = 'still-used';

/**
 * Erases a caller in one transaction. A key loses its name, its tags, and the ids of its requests; a tag is removed from
 * the requests that had it. The audit trail keeps the name.
 */
export function eraseCaller(store: Store, whom: Erasing): Promise<ErasedRows | typeof STILL_USED> {
  return audited(store, async (transaction, note) => {
    if ('tag' in whom) {
      const erased = await eraseTag(transaction, whom.tag);
      await note({ action: 'tag.erased', target: whom.tag });
      return erased;
    }
    const erased = await eraseKey(transaction, whom.key);
    if (erased !== STILL_USED) await note({ action: 'caller.erased', target: whom.key });
    return erased;
  });
}

async function eraseKey(db: Transaction<Tables>, name: string): Promise<ErasedRows | typeof STILL_USED> {
  const used = await db
    .selectFrom('gateway_keys')
    .select('id')
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (used !== undefined) return STILL_USED;
  const exchanges = await db
    .updateTable('gateway_exchanges')
    .set({ key: ERASED, id: '', tag: null })
    .where('key', '=', name)
    .executeTakeFirst();
  let sums = 0;
  for (const { table, of } of [...OF_ALL, ...OF_GROUPS])
    if (of.includes('key')) sums += await moveSums(db, table, of, name);
  for (const { table } of OF_TAGS) sums += await deleteSums(db, table, 'key', name);
  await db.deleteFrom('gateway_spent').where('holder', '=', 'key').where('name', '=', name).execute();
  await db.deleteFrom('gateway_stored').where('key', '=', name).execute();
  const { numDeletedRows: keys } = await db
    .deleteFrom('gateway_keys')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  // Running processes know the names of revoked keys.
  if (keys > 0n) await countDeletion(db);
  return { exchanges: Number(exchanges.numUpdatedRows), sums };
}

/** Adds the sums of a key to those of all erased keys. */
async function moveSums(
  db: Transaction<Tables>,
  table: string,
  of: readonly string[],
  name: string,
): Promise<number> {
  const others = of.map((column) => (column === 'key' ? sql`${ERASED}` : sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${columnList([...of, ...USAGE_SUMS])})
    select ${sql.join(others)}, ${columnList(USAGE_SUMS)} from ${sql.table(table)} where key = ${name}
    on conflict ${addToSums(table, of, USAGE_SUMS)}`.execute(db);
  return await deleteSums(db, table, 'key', name);
}

async function deleteSums(
  db: Transaction<Tables>,
  table: string,
  column: 'key' | 'tag',
  value: string,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ${sql.ref(column)} = ${value}`.execute(db);
  return Number(numAffectedRows);
}

async function eraseTag(db: Transaction<Tables>, tag: string): Promise<ErasedRows> {
  const exchanges = await db
    .updateTable('gateway_exchanges')
    .set({ tag: null })
    .where('tag', '=', tag)
    .executeTakeFirst();
  let sums = 0;
  for (const { table } of OF_TAGS) sums += await deleteSums(db, table, 'tag', tag);
  return { exchanges: Number(exchanges.numUpdatedRows), sums };
}
