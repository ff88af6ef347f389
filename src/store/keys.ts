/** The keys of the store. A key itself is given out once, by whoever makes it, and never kept. */

import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import { countChange, NoSuchGroup, UNLIMITED } from './changes.ts';
import { hashKey, makeKey } from './key-secret.ts';
import type { Store } from './store.ts';
import type { KeyColumns, KeyRow, Tables } from './tables.ts';

/** A key that has just been made. */
export interface MadeKey {
  /** To be shown once: nobody will be able to tell it again. */
  readonly key: string;
  readonly row: KeyRow;
}

/** How much of a key is kept for people to tell it by: the prefix, and 24 of its 256 bits. */
const HINT_LENGTH = 7;

/** Makes a key. @returns undefined where a key that is not revoked has the name. @throws NoSuchGroup */
export async function createKey(
  store: Store,
  name: string,
  columns: Partial<KeyColumns> = {},
): Promise<MadeKey | undefined> {
  const key = makeKey();
  const row = await insertKey(store, name, { hash: hashKey(key), hint: hintOf(key) }, columns);
  return row && { key, row };
}

/**
 * Puts a key whose hash alone is known into the store.
 * @returns undefined where its name or hash is there already. @throws NoSuchGroup
 */
export function insertKey(
  store: Store,
  name: string,
  secret: Pick<KeyRow, 'hash' | 'hint'>,
  columns: Partial<KeyColumns> = {},
): Promise<KeyRow | undefined> {
  const row: KeyRow = {
    ...UNLIMITED,
    expires_at: null,
    group_name: null,
    ...columns,
    ...secret,
    id: `key_${randomBytes(9).toString('base64url')}`,
    name,
    old_hash: null,
    old_until: null,
    created_at: Date.now(),
    revoked_at: null,
    change: 0,
  };
  return changing(store, (db) =>
    db
      .insertInto('gateway_keys')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst(),
  );
}

/** Sets what `columns` has. @returns the key; undefined where there is none, or it was revoked. @throws NoSuchGroup */
export function changeKey(
  store: Store,
  id: string,
  columns: Partial<KeyColumns>,
): Promise<KeyRow | undefined> {
  // An UPDATE must set something.
  return update(store, id, { id, ...columns });
}

/** Ends a key for good. @returns the key; undefined where there is none, or it was revoked before. */
export function revokeKey(store: Store, id: string): Promise<KeyRow | undefined> {
  return update(store, id, { revoked_at: Date.now(), old_hash: null, old_until: null });
}

function update(store: Store, id: string, columns: Partial<KeyRow>): Promise<KeyRow | undefined> {
  return changing(store, (db) => updateIn(db, id, columns));
}

export function updateIn(
  db: Transaction<Tables>,
  id: string,
  columns: Partial<KeyRow>,
): Promise<KeyRow | undefined> {
  return db
    .updateTable('gateway_keys')
    .set(columns)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/**
 * A change, and with it the sign by which running processes see that there was one, and of which key.
 * @throws NoSuchGroup
 */
export function changing(
  { db }: Store,
  write: (db: Transaction<Tables>) => Promise<KeyRow | undefined>,
): Promise<KeyRow | undefined> {
  return db.transaction().execute(async (transaction) => {
    const row = await write(transaction);
    if (row === undefined) return undefined;
    const change = await countChange(transaction);
    if (row.group_name !== null && row.revoked_at === null) await requireGroup(transaction, row.group_name);
    await transaction.updateTable('gateway_keys').set({ change }).where('id', '=', row.id).execute();
    return { ...row, change };
  });
}

/** Nobody deletes it before this is over, for that is a change too. @throws NoSuchGroup */
async function requireGroup(transaction: Transaction<Tables>, name: string): Promise<void> {
  const found = await transaction
    .selectFrom('gateway_groups')
    .select('name')
    .where('name', '=', name)
    .executeTakeFirst();
  if (found === undefined) throw new NoSuchGroup(name);
}

export function hintOf(key: string): string {
  return `${key.slice(0, HINT_LENGTH)}…`;
}
