/** The keys of the store. A key itself is given out once, by whoever makes it, and never kept. */

import { randomBytes } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
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

/** A key that has not been rotated, since the one before its last rotation was promised to open until then. */
export interface Promised {
  readonly promisedUntil: number;
}

/** The longest grace, in days: what is longer is no rotation. */
export const MOST_GRACE_DAYS = 31;

export interface Rotation {
  /** How long the key before still opens, in milliseconds; absent or 0: not at all, nor does any other before it. */
  readonly grace?: number | undefined;
  /**
   * Whether nobody has the key that the last rotation made, as its answer was lost: that one closes, and the one before
   * it opens as long as it was promised.
   */
  readonly again?: boolean | undefined;
}

/**
 * Puts a new key in the place of one: same name, same limits. One key before it is kept, so a rotation with a grace within
 * the grace of another would close a key that callers have.
 * @returns undefined where there is none, or it was revoked.
 */
export async function rotateKey(
  store: Store,
  id: string,
  { grace = 0, again = false }: Rotation = {},
): Promise<MadeKey | Promised | undefined> {
  const key = makeKey();
  const now = Date.now();
  let promisedUntil: number | undefined;
  const row = await changing(store, async (db) => {
    // By writing, so that nobody else rotates it meanwhile.
    const before = await updateIn(db, id, { id });
    if (before === undefined) return undefined;
    const { hash, old_hash, old_until } = before;
    const isOpen = old_until !== null && old_until > now;
    if (isOpen && grace > 0 && !again) {
      promisedUntil = old_until;
      return undefined;
    }
    const old = isOpen && again ? { old_hash, old_until } : oldOf(hash, grace, now);
    return updateIn(db, id, { ...old, hash: hashKey(key), hint: hintOf(key) });
  });
  if (promisedUntil !== undefined) return { promisedUntil };
  return row && { key, row };
}

function oldOf(hash: string, grace: number, now: number): Pick<KeyRow, 'old_hash' | 'old_until'> {
  return grace > 0 ? { old_hash: hash, old_until: now + grace } : { old_hash: null, old_until: null };
}

function update(store: Store, id: string, columns: Partial<KeyRow>): Promise<KeyRow | undefined> {
  return changing(store, (db) => updateIn(db, id, columns));
}

function updateIn(
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
function changing(
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

function hintOf(key: string): string {
  return `${key.slice(0, HINT_LENGTH)}…`;
}
