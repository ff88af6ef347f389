// Builds the console after an installation from source. An installation for production has no Vite, and gets the console
// with the build of the whole.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

if (existsSync(join(ROOT, 'node_modules/vite'))) {
  const { build } = await import('vite');
  await build({ configFile: join(import.meta.dirname, 'vite.config.ts') });
}
