/** Files that are named on the command line. */

import { readFile } from 'node:fs/promises';
import { codeBehind } from '../lib/error-code.ts';
import { Refusal } from './refusal.ts';

/** What the file holds. @throws Refusal where it cannot be read. */
export function readNamed(file: string): Promise<Buffer> {
  return readFile(file).catch((error: unknown) => {
    throw new Refusal(`${file} cannot be read${codeBehind(error)}.`);
  });
}
