/** The pages that users read: the README and those of `docs`. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Their paths from the root. */
export const PAGES: readonly string[] = ['README.md', ...globSync('docs/*.md', { cwd: root }).toSorted()];

/** The text of all pages, concatenated. */
export function textOfPages(): string {
  return PAGES.map((page) => readFileSync(join(root, page), 'utf8')).join('\n');
}
