/**
 * Notices when an open file is replaced by another one. A process that has the old file open sees nothing of the new
 * one.
 */

import { stat } from 'node:fs/promises';
import { errorCode } from '../../lib/error-code.ts';

/**
 * Remembers the file at a path. @returns a function that says whether the path leads to another file now, or to none. If
 * there is no file yet, it is never replaced.
 */
export async function findReplacement(path: string): Promise<() => Promise<boolean>> {
  const first = await getIdentity(path);
  return async () => {
    const now = await getIdentity(path);
    return now !== undefined && first !== undefined && first !== NONE && now !== first;
  };
}

/** Whether a file has no bytes. That of a store has some as soon as it is open: SQLite writes its first page with WAL mode. */
export async function isEmptied(path: string): Promise<boolean> {
  return stat(path).then(
    ({ size }) => size === 0,
    // That it is gone is a replacement.
    () => false,
  );
}

const NONE = 'none';

/** Undefined if it cannot be found out. */
async function getIdentity(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path);
    return `${dev} ${ino}`;
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? NONE : undefined;
  }
}
