/** Reads keys from the store. */

import { sql } from 'kysely';
import type { Store } from './store.ts';
import type { KeyRow } from './tables.ts';

/** Every key, the newest first. @param revoked whether with those that were revoked. */
export function listKeys(store: Pick<Store, 'db'>, revoked = false): Promise<KeyRow[]> {
  return inOrder(store, revoked).execute();
}

/** Which of the keys are wanted. */
export interface KeysWanted {
  /** Whether with those that were revoked. */
  readonly revoked: boolean;
  /** How their names begin. */
  readonly prefix: string;
  /** The group that they are of; undefined: any, or none. */
  readonly group: string | undefined;
  /** The last one that is known already. */
  readonly after: KeyRow | undefined;
  readonly limit: number;
}

/** The next keys in the order of `listKeys`, and whether there are more. */
export async function pageOfKeys(
  store: Store,
  { revoked, prefix, group, after, limit }: KeysWanted,
): Promise<{ rows: readonly KeyRow[]; more: boolean }> {
  let keys = inOrder(store, revoked).limit(limit + 1);
  // LIKE tells small letters from large ones in one of the databases, and not in the other.
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

/** Every key that was made or changed after the change of a number, with those that were revoked. */
export function keysChangedAfter({ db }: Pick<Store, 'db'>, change: number): Promise<KeyRow[]> {
  return db.selectFrom('gateway_keys').selectAll().where('change', '>', change).execute();
}

/** The key of an id, or the one of a name that is not revoked. */
export function findKey({ db }: Store, idOrName: string): Promise<KeyRow | undefined> {
  return db
    .selectFrom('gateway_keys')
    .selectAll()
    .where(({ eb, and, or }) =>
      or([eb('id', '=', idOrName), and([eb('name', '=', idOrName), eb('revoked_at', 'is', null)])]),
    )
    .executeTakeFirst();
}
