/** Reads a file that a field or a variable names, such as one of a secret. */

import { readFile, stat } from 'node:fs/promises';
import { invalidConfig } from '../lib/config-error.ts';
import { errorCode } from '../lib/error-code.ts';

/** @param field what names the file, for messages @throws ConfigError if it cannot be read, and read again */
export async function readTextFile(field: string, file: string): Promise<string> {
  try {
    const stats = await stat(file);
    // A pipe can be read once, and a reload reads it again. One that nobody writes to would never end.
    if (stats.isFile() || stats.isDirectory()) return await readFile(file, 'utf8');
  } catch (error) {
    throw invalidConfig(`${field}: ${file} cannot be read (${errorCode(error)})`);
  }
  throw invalidConfig(`${field}: ${file} is not a regular file`);
}
