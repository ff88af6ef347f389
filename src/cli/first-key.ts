/**
 * The key that a first start makes. On a terminal a person sees it. Without one, output is a log that others keep and
 * read: then it is in a file for its owner alone.
 */

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeBehind } from '../lib/error-code.ts';
import { lacksKeys, makeFirstKey } from '../store/configured-store.ts';
import { makeFolder } from '../store/make-folder.ts';
import type { Store } from '../store/store.ts';

export interface FirstKey {
  readonly key: string;
  /** Where it is; absent: on a terminal. */
  readonly file?: string;
}

/**
 * Makes a key where there has never been one.
 * @returns it, or in a sentence why none was made although one is wanted; undefined where there was one.
 * @throws where the store cannot be asked.
 */
export async function firstKey(store: Store): Promise<FirstKey | string | undefined> {
  if (process.stdout.isTTY && process.stderr.isTTY) {
    const key = await makeFirstKey(store);
    return key === undefined ? undefined : { key };
  }
  if (!(await lacksKeys(store))) return undefined;
  const file = join(dirname(store.place.path), 'first-key.txt');
  try {
    makeFolder(dirname(file), 0o700);
    const probe = `${file}.probe`;
    writePrivately(probe, '');
    rmSync(probe);
  } catch (error) {
    // A key that nobody could ever read would keep the next start from making another one.
    return `There is no key yet, and none was made: there is no terminal to show it on, and ${file} cannot be written${codeBehind(error)}. Make one with \`gateway keys create NAME\`, or set GATEWAY_API_KEY.`;
  }
  const key = await makeFirstKey(store);
  // Another process was first, and says where its key is.
  if (key === undefined) return undefined;
  writePrivately(file, `${key}\n`);
  return { key, file };
}

/** Writes a file that only its owner can read, also where there was one that others could. */
export function writePrivately(file: string, text: string): void {
  const part = `${file}.part`;
  rmSync(part, { force: true });
  writeFileSync(part, text, { flag: 'wx', mode: 0o600 });
  // What was there before stays until this is whole.
  renameSync(part, file);
}

/** What is said of a key in a file. */
export function whereItIs(file: string): string {
  return `Your first API key is in ${file}, for this user only. Save it and delete the file: the store has only its hash.`;
}
