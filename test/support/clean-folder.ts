/** A new folder that has no packages above it, which programs in it would find. Other programs leave some in /tmp. */

import { existsSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PLACE = existsSync('/var/tmp') ? '/var/tmp' : tmpdir();

/** Makes one. @returns its path. */
export function cleanFolder(prefix: string): string {
  return realpathSync(mkdtempSync(join(PLACE, prefix)));
}
