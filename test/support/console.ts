/** The built console. `npm ci` builds it; a run of the tests builds it again if its sources are newer. */

import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCES = join(ROOT, 'src');
const BUILT = join(ROOT, 'dist/console');

/** Builds the console if something of it has changed since it was built. */
export default async function setup(): Promise<void> {
  const page = join(BUILT, 'index.html');
  const since = existsSync(page) ? statSync(page).mtimeMs : 0;
  const isNewer = (file: string): boolean => statSync(file).mtimeMs > since;
  const sources = globSync('{console,translate}/**/*.*', { cwd: SOURCES }).map((file) => join(SOURCES, file));
  if ([...sources, join(ROOT, 'package-lock.json')].some(isNewer))
    await build({ configFile: join(SOURCES, 'console/vite.config.ts') });
}

/** The name of the script that the page loads first. */
export function consoleScript(): string {
  const script = readdirSync(join(BUILT, 'console')).find((name) => /^index-[\w-]+\.js$/.test(name));
  if (script === undefined) throw new Error('The console is not built.');
  return script;
}
