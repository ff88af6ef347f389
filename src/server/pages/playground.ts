/** The playground: `/` and `/playground`, and its files at `/playground/<file>`. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openPage, type StaticPage } from './static-page.ts';

/**
 * Reads the page. Its Markdown parser is served as the package brings it, one ES module, so nothing is bundled.
 * @throws Error if a file of it is missing.
 */
export function openPlayground(): StaticPage {
  const marked = createRequire(import.meta.url).resolve('marked');
  return openPage(join(import.meta.dirname, 'playground'), '/', '/playground/', { 'marked.js': marked });
}
