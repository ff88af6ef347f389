/** The store that a configuration names. */

import { resolve } from 'node:path';
import { importKeyFile } from './key-file.ts';
import { createKey } from './keys.ts';
import { listKeys } from './list-keys.ts';
import { openStore, type Store } from './store.ts';
import type { StorePlace } from './store-errors.ts';

/**
 * Opens it; keys of before there was a store move into it.
 * @param directory where the gateway was started, from which a relative path counts.
 * @throws StoreError
 */
export async function openConfiguredStore(
  { path, url }: StorePlace,
  directory: string,
  onTrouble?: (reason: string) => void,
): Promise<Store> {
  const place = { path: resolve(directory, path), ...(url !== undefined && { url }) };
  const store = await openStore(place, onTrouble);
  try {
    await importKeyFile(store, directory);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Whether there has never been a key: who has revoked all keys wants none. */
export async function lacksKeys(store: Store): Promise<boolean> {
  return (await listKeys(store, true)).length === 0;
}

/**
 * Makes a key that opens everything, where there has never been one.
 * @returns it, or undefined where there was one.
 */
export async function makeFirstKey(store: Store): Promise<string | undefined> {
  if (!(await lacksKeys(store))) return undefined;
  const made = await createKey(store, 'first');
  return made?.key;
}
