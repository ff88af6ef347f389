/** `node copy-page.js <folder>`: the page as it stands, next to the compiled program. A step of the build. */

import { cpSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Where to?');
cpSync(join(import.meta.dirname, 'page'), join(folder, 'page'), {
  recursive: true,
  filter: (source) => !source.endsWith('tsconfig.json'),
});
