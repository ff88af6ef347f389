/**
 * The key that a first start creates. On a terminal, a person sees it. Without a terminal, output is a log that others keep
 * and read, so the key goes into a file that only its owner can read.
 */

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandLine } from '../lib/command-line.ts';
import { codeBehind } from '../lib/error-code.ts';
import { lacksKeys, makeFirstKey } from '../store/configured-store.ts';
import { makeFolder } from '../store/sqlite/make-folder.ts';
import type { Store } from '../store/store.ts';

export interface FirstKey {
  readonly key: string;
  /** The file that holds it; absent: it is shown on the terminal. */
  readonly file?: string;
}

/** More bytes than the file of a key has with the whole greeting: a full disk still takes an empty file. */
const MOST = 8_192;

/**
 * Creates a key if the store has never had one.
 * @returns the key; a sentence that says why none could be created; or undefined if the store has had a key.
 * @throws if the store cannot be read or written.
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
    writePrivately(probe, ' '.repeat(MOST));
    rmSync(probe);
  } catch (error) {
    // A key that cannot be shown would still keep the next start from creating one.
    return `There is no API key yet, and none was created: there is no terminal to show it on, and ${file} cannot be written${codeBehind(error)}. Create one with \`${commandLine(process.env, 'keys create NAME')}\`, or set GATEWAY_API_KEY.`;
  }
  const key = await makeFirstKey(store);
  // Another process has just created a key, and reports it.
  if (key === undefined) return undefined;
  writePrivately(file, `${key}\n`);
  return { key, file };
}

/** Writes a file that only its owner can read, even if it replaces one that others could read. */
export function writePrivately(file: string, text: string): void {
  const part = `${file}.part`;
  rmSync(part, { force: true });
  try {
    writeFileSync(part, text, { flag: 'wx', mode: 0o600 });
    // The old file stays until the new one is complete.
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** The sentence that tells an operator where the first key is. */
export function describeKeyFile(file: string): string {
  return `Your first API key is in ${file}, readable by this user only. Save the key and delete the file: the store has only its hash.`;
}
