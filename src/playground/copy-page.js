/** `node copy-page.js <folder>`: the pages as they stand, next to the compiled program. A step of the build. */

import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Where to?');
for (const page of ['playground', 'dashboard']) {
  cpSync(join(import.meta.dirname, '..', page, 'page'), join(dirname(folder), page, 'page'), {
    recursive: true,
    filter: (source) => !source.endsWith('tsconfig.json'),
  });
}
