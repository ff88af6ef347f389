import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../lib/error-code.ts';

/**
 * Creates a folder and its parents. Node's recursive `mkdir` never returns if an existing parent cannot hold folders,
 * as /proc cannot.
 * @param mode the permissions of the new folders; by default those that the process gives to all others.
 * @throws Error if a folder cannot be created.
 */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it at the same time.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
