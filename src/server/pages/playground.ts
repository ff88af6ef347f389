/** The playground at `/` and `/playground`, and its files at `/playground/<file>`. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openPage, type StaticPage } from './static-page.ts';

/**
 * Reads the page. Its Markdown parser is served as its package ships it, as one ES module, so there is no bundler.
 * @throws Error if a file of the page is missing
 */
export function openPlayground(): StaticPage {
  const marked = createRequire(import.meta.url).resolve('marked');
  return openPage(join(import.meta.dirname, 'playground'), '/', '/playground/', { 'marked.js': marked });
}
