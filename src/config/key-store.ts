/** Where the key of a first start is kept: its hash, in one file only its owner can read. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { hashKey, type KeyRecord, makeKey } from '../keys.ts';
import { ConfigError } from './load.ts';

const storedSchema = z.array(z.object({ name: z.string(), hash: z.string().regex(/^[0-9a-f]{64}$/) }));

/** The file, below the directory the gateway was started in. */
export const KEY_FILE = join('.gateway', 'keys.json');

/** The stored keys; none where there is no file. @throws ConfigError where the file is not what was written. */
export async function storedKeys(directory: string): Promise<readonly KeyRecord[]> {
  const path = join(directory, KEY_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new ConfigError(`${KEY_FILE} cannot be read.`);
  }
  try {
    return storedSchema.parse(JSON.parse(text));
  } catch {
    throw new ConfigError(`${KEY_FILE} is not a list of keys. Delete it and a new key is made.`);
  }
}

/** Makes a key and stores its hash. @returns the key, which nobody will be able to tell again. */
export async function storeNewKey(directory: string): Promise<string> {
  const path = join(directory, KEY_FILE);
  const key = makeKey();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, `${JSON.stringify([{ name: 'first', hash: hashKey(key) }], undefined, 2)}\n`, {
    mode: 0o600,
  });
  return key;
}
