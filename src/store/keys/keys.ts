/** Creates and changes the keys in the store. A key itself is shown once, when it is made, and is never stored. */

import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import { type AuditAction, audited } from '../audit.ts';
import type { Store } from '../store.ts';
import type { KeyColumns, KeyRow, Tables } from '../tables.ts';
import { countChange, NoSuchGroup, UNLIMITED } from './changes.ts';
import { hashKey, makeKey } from './key-secret.ts';
import { renderKey } from './key-view.ts';

/** A key that was just made. */
export interface MadeKey {
  /** The key itself. It is shown once; the store cannot tell it again. */
  readonly key: string;
  readonly row: KeyRow;
}

/** How many characters of a key are stored so that people can tell keys apart: the prefix, and 24 of its 256 bits. */
const HINT_LENGTH = 7;

/**
 * Makes a key.
 * @returns undefined if a key that is not revoked has the name.
 * @throws NoSuchGroup
 */
export async function createKey(
  store: Store,
  name: string,
  columns: Partial<KeyColumns> = {},
): Promise<MadeKey | undefined> {
  const key = makeKey();
  const row = await insertKey(store, name, { hash: hashKey(key), hint: makeHint(key) }, columns);
  return row && { key, row };
}

/**
 * Stores a key of which only the hash is known.
 * @returns undefined if its name or its hash exists already.
 * @throws NoSuchGroup
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
    tag_limits: null,
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
  return changing(store, 'key.created', undefined, (db) =>
    db
      .insertInto('gateway_keys')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst(),
  );
}

/**
 * Sets the given columns.
 * @returns the changed row; undefined if there is no such key, or it is revoked.
 * @throws NoSuchGroup
 */
export function changeKey(
  store: Store,
  id: string,
  columns: Partial<KeyColumns>,
): Promise<KeyRow | undefined> {
  // An UPDATE must set at least one column.
  return update(store, 'key.changed', id, { id, ...columns });
}

/** Revokes a key for good. @returns the changed row; undefined if there is no such key, or it was revoked before. */
export function revokeKey(store: Store, id: string): Promise<KeyRow | undefined> {
  return update(store, 'key.revoked', id, { revoked_at: Date.now(), old_hash: null, old_until: null });
}

function update(
  store: Store,
  action: AuditAction,
  id: string,
  columns: Partial<KeyRow>,
): Promise<KeyRow | undefined> {
  return changing(store, action, id, (db) => updateIn(db, id, columns));
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
 * Runs a change to a key, notes it in the audit trail, and counts it, so that running processes notice the change and
 * which key it was.
 * @param id of the key; undefined if it is new.
 * @throws NoSuchGroup
 */
export function changing(
  store: Store,
  action: AuditAction,
  id: string | undefined,
  write: (db: Transaction<Tables>) => Promise<KeyRow | undefined>,
): Promise<KeyRow | undefined> {
  return audited(store, async (transaction, note) => {
    const before = id === undefined ? undefined : await readForChange(store, transaction, id);
    const row = await write(transaction);
    if (row === undefined) return undefined;
    const change = await countChange(transaction);
    if (row.group_name !== null && row.revoked_at === null) await requireGroup(transaction, row.group_name);
    await transaction.updateTable('gateway_keys').set({ change }).where('id', '=', row.id).execute();
    const views = { before: before && renderView(before), after: renderView(row) };
    await note({ action, target: row.name, targetId: row.id, ...views });
    return { ...row, change };
  });
}

/** Reads a key as it is before a change. Nobody else changes it until the transaction is over. */
function readForChange(
  { kind }: Store,
  transaction: Transaction<Tables>,
  id: string,
): Promise<KeyRow | undefined> {
  return transaction
    .selectFrom('gateway_keys')
    .selectAll()
    .where('id', '=', id)
    .$if(kind === 'postgres', (keys) => keys.forUpdate())
    .executeTakeFirst();
}

/** A key as the audit trail has it. A damaged row, which cannot be read, can still be revoked. */
function renderView(row: KeyRow): object {
  try {
    return renderKey(row);
  } catch {
    return { object: 'key', id: row.id, name: row.name };
  }
}

/**
 * The group cannot be deleted before the transaction is over, because deleting it is counted as a change too.
 * @throws NoSuchGroup
 */
async function requireGroup(transaction: Transaction<Tables>, name: string): Promise<void> {
  const found = await transaction
    .selectFrom('gateway_groups')
    .select('name')
    .where('name', '=', name)
    .executeTakeFirst();
  if (found === undefined) throw new NoSuchGroup(name);
}

export function makeHint(key: string): string {
  return `${key.slice(0, HINT_LENGTH)}…`;
}
