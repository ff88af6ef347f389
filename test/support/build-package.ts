/** What programs import, as `npm run build` and `npm run build:library` make it. */

import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isOlder } from './is-older.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The configuration of each part, where it is built, and the file that is written last. */
const BUILDS = {
  program: { config: 'rolldown.config.js', made: 'dist', last: 'dist/LICENSES.txt' },
  library: {
    config: 'build/library.config.js',
    made: 'dist/library',
    last: 'dist/library/config.schema.json',
  },
} as const;

export type Part = keyof typeof BUILDS;

const SOURCES = ['src/**/*.*', 'build/*.*', '*.{js,json}'];

/** Puts a part into a folder: a copy of the one in `dist`, which CI builds before its tests, or what its sources are now. */
export function buildPart(part: Part, folder: string): void {
  const { config, made, last } = BUILDS[part];
  if (!isOlder(join(ROOT, last), SOURCES)) {
    const other = join(ROOT, BUILDS.library.made);
    const filter = (path: string): boolean => part === 'library' || path !== other;
    cpSync(join(ROOT, made), folder, { recursive: true, filter });
    return;
  }
  const compiler = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
  // The path is relative, as that of `npm run build` is.
  const args = [compiler, '--config', config, '--dir', relative(ROOT, folder)];
  execFileSync(process.execPath, args, { cwd: ROOT });
}
