/** `node copy-pages.js <folder>` copies the pages next to the compiled program, as a step of the build. */

import { cpSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Where to?');
for (const page of ['playground', 'dashboard', 'shared']) {
  cpSync(join(import.meta.dirname, page), join(folder, 'server/pages', page), { recursive: true });
}
