/** The playground: `/` and `/playground`, and its files at `/playground/<file>`. */

import { join } from 'node:path';
import { openPage, type StaticPage } from './static-page.ts';

/** Reads the page. */
export function openPlayground(): StaticPage {
  return openPage(join(import.meta.dirname, 'playground'), '/', '/playground/');
}
