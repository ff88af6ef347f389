/** Imports the file that held keys before there was a store. It is imported once. */

import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../lib/error-code.ts';
import type { Store } from '../store.ts';
import { StoreError } from '../store-errors.ts';
import { insertKey } from './keys.ts';

const fileSchema = z.array(z.object({ name: z.string(), hash: z.string().regex(/^[0-9a-f]{64}$/) }));

/** Relative to the directory in which the gateway is started. */
const FILE = join('.gateway', 'keys.json');

/**
 * Moves the keys of the file into the store, and renames the file. Does nothing if there is no file.
 * @returns how many keys were moved.
 * @throws StoreError if the file is not a list of keys.
 */
export async function importKeyFile(store: Store, directory: string): Promise<number> {
  const path = join(directory, FILE);
  const text = await readOrNothing(path);
  if (text === undefined) return 0;
  const parsed = fileSchema.safeParse(parseOrNothing(text));
  if (!parsed.success) throw new StoreError(`${FILE} is not a list of keys. Move it away.`);
  let moved = 0;
  for (const { name, hash } of parsed.data) {
    if (await insertUnderAnyName(store, name, hash)) moved += 1;
  }
  // Another process may have imported it at the same time.
  await rename(path, `${path}.moved`).catch(ignoreMissing);
  return moved;
}

/** Inserts a key. If the name is taken, a number is appended. @returns false if the store has the key already. */
async function insertUnderAnyName(store: Store, name: string, hash: string): Promise<boolean> {
  for (let count = 1; ; count += 1) {
    const known = await store.db
      .selectFrom('gateway_keys')
      .select('id')
      .where('hash', '=', hash)
      .executeTakeFirst();
    if (known !== undefined) return false;
    const free = count === 1 ? name : `${name}-${count}`;
    if (await insertKey(store, free, { hash, hint: 'gw_…' })) return true;
  }
}

function readOrNothing(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(ignoreMissing);
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
}
