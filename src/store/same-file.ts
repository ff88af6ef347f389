/** A file that is put in the place of one that is open: nobody who has that one open sees anything of it. */

import { stat } from 'node:fs/promises';
import { errorCode } from '../lib/error-code.ts';

/** Remembers the file at a path. @returns tells whether another one is there by now, or none. */
export async function replacementOf(path: string): Promise<() => Promise<boolean>> {
  const first = await identityOf(path);
  return async () => {
    const now = await identityOf(path);
    return now !== undefined && first !== undefined && now !== first;
  };
}

/** undefined where it cannot be told. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path);
    return `${dev} ${ino}`;
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'none' : undefined;
  }
}
