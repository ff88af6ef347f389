/** The store that the configuration names. */

import { resolve } from 'node:path';
import { keyChanges } from './keys/changes.ts';
import { importKeyFile } from './keys/key-file.ts';
import { createKey } from './keys/keys.ts';
import { openInThread } from './sqlite/sqlite-thread.ts';
import { openStore, type Store } from './store.ts';
import type { StorePlace } from './store-errors.ts';
import { WorkerThread } from './threads/worker-thread.ts';

/**
 * Opens the store. Keys from the time before the store existed move into it.
 * @param directory where the gateway was started; a relative path is relative to it.
 * @param onSlow called with a sentence if that takes long.
 * @param thread has the file open, if it is SQLite; absent: a thread of its own.
 * @throws StoreError if the store cannot be opened, or the file with the old keys cannot be read.
 */
export async function openConfiguredStore(
  { path, url }: StorePlace,
  directory: string,
  onSlow?: (sentence: string) => void,
  thread = new WorkerThread(),
): Promise<Store> {
  const place = { path: resolve(directory, path), ...(url !== undefined && { url }) };
  const store = await openStore(place, onSlow, { open: openInThread(thread) });
  try {
    await importKeyFile(store, directory);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Whether the store has never had a key. If all keys were revoked, or erased as well, somebody wants none. */
export async function lacksKeys({ db }: Pick<Store, 'db'>): Promise<boolean> {
  const key = await db.selectFrom('gateway_keys').select('id').limit(1).executeTakeFirst();
  if (key !== undefined) return false;
  // Only of an erased key there is a change without a row.
  const { version, by_row } = await keyChanges({ db });
  return version === by_row;
}

/**
 * Makes a key without restrictions, if the store has never had a key.
 * @returns the key, or undefined if there was one.
 */
export async function makeFirstKey(store: Store): Promise<string | undefined> {
  if (!(await lacksKeys(store))) return undefined;
  const made = await createKey(store, 'first');
  return made?.key;
}
