/** The playground at `/` and `/playground`, and its files at `/playground/<file>`. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openPage, type StaticPage } from './static-page.ts';

const PAGE = join(import.meta.dirname, 'playground');

/** The page's Markdown parser, which is served as its package ships it: as one ES module. */
const MARKED = 'marked.js';

/**
 * Reads the page.
 * @throws Error if a file of the page is missing
 */
export function openPlayground(): StaticPage {
  // The build has put it beside the page; the sources have it in its package.
  const isBuilt = existsSync(join(PAGE, MARKED));
  const libraries = isBuilt ? {} : { [MARKED]: createRequire(import.meta.url).resolve('marked') };
  return openPage(PAGE, '/', '/playground/', libraries);
}
