import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../lib/error-code.ts';

/**
 * Makes a folder, and those above it. Node's own way to make them all never ends where one that is there takes none, as
 * /proc.
 * @param mode who may do what with those that are made; by default as the process makes all others.
 * @throws Error where one cannot be made.
 */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may be here as well.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
