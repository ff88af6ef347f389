/** Which of the things that are built have to be built again. */

import { existsSync, globSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Whether a file is missing, or older than one of its sources: patterns of paths in the repository. */
export function isOlder(built: string, sources: readonly string[]): boolean {
  if (!existsSync(built)) return true;
  const since = statSync(built).mtimeMs;
  return globSync(sources, { cwd: ROOT }).some((file) => statSync(join(ROOT, file)).mtimeMs > since);
}
