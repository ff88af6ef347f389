/** Reads keys from the store. */

import { sql } from 'kysely';
import { readInPieces } from '../read-in-pieces.ts';
import type { Store } from '../store.ts';
import type { KeyRow } from '../tables.ts';

/** All keys, the newest first. @param revoked whether to include revoked keys. */
export function listKeys(store: Pick<Store, 'db'>, revoked = false): Promise<KeyRow[]> {
  return inOrder(store, revoked).execute();
}

/** All keys that are not revoked, in pieces of so many, in the order of their ids, which an index has. */
export function keysInPieces({ db }: Pick<Store, 'db'>, size: number): AsyncGenerator<readonly KeyRow[]> {
  return readInPieces<KeyRow>(size, (last) =>
    db
      .selectFrom('gateway_keys')
      .selectAll()
      .where('revoked_at', 'is', null)
      .where('id', '>', last?.id ?? '')
      .orderBy('id')
      .limit(size)
      .execute(),
  );
}

/** A page of keys. */
export interface KeysQuery {
  /** Whether to include revoked keys. */
  readonly revoked: boolean;
  /** What their names must begin with. */
  readonly prefix: string;
  /** The group that they must belong to; undefined means any or none. */
  readonly group: string | undefined;
  /** The last key of the page before. */
  readonly after: KeyRow | undefined;
  readonly limit: number;
}

/** The next keys in the order of `listKeys`, and whether there are more. */
export async function pageOfKeys(
  store: Store,
  { revoked, prefix, group, after, limit }: KeysQuery,
): Promise<{ rows: readonly KeyRow[]; more: boolean }> {
  let keys = inOrder(store, revoked).limit(limit + 1);
  // LIKE is case-sensitive in one of the databases and not in the other.
  if (prefix !== '') keys = keys.where(sql`substr(name, 1, length(${prefix}))`, '=', prefix);
  if (group !== undefined) keys = keys.where('group_name', '=', group);
  if (after !== undefined) {
    const { id, created_at: made } = after;
    keys = keys.where(({ eb, and, or }) =>
      or([eb('created_at', '<', made), and([eb('created_at', '=', made), eb('id', '>', id)])]),
    );
  }
  const rows = await keys.execute();
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

function inOrder({ db }: Pick<Store, 'db'>, revoked: boolean) {
  return db
    .selectFrom('gateway_keys')
    .selectAll()
    .$if(!revoked, (keys) => keys.where('revoked_at', 'is', null))
    .orderBy('created_at', 'desc')
    .orderBy('id');
}

/** All keys that were made or changed after the change with this number, including revoked ones. */
export function keysChangedAfter({ db }: Pick<Store, 'db'>, change: number): Promise<KeyRow[]> {
  return db.selectFrom('gateway_keys').selectAll().where('change', '>', change).execute();
}

/** The keys that were revoked last, in the order in which they were revoked. */
export async function lastRevokedKeys(
  { db }: Pick<Store, 'db'>,
  limit: number,
): Promise<readonly Pick<KeyRow, 'name' | 'hash'>[]> {
  const rows = await db
    .selectFrom('gateway_keys')
    .select(['name', 'hash'])
    .where('revoked_at', 'is not', null)
    .orderBy('revoked_at', 'desc')
    .limit(limit)
    .execute();
  return rows.reverse();
}

/** The key with this id, or the key with this name that is not revoked. */
export function findKey({ db }: Store, idOrName: string): Promise<KeyRow | undefined> {
  return db
    .selectFrom('gateway_keys')
    .selectAll()
    .where(({ eb, and, or }) =>
      or([eb('id', '=', idOrName), and([eb('name', '=', idOrName), eb('revoked_at', 'is', null)])]),
    )
    .executeTakeFirst();
}
