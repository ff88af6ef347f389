/** Where the tests find what `built.ts` builds before they run. */

import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** The folder of the built console. */
export const CONSOLE = join(ROOT, 'dist/console');

/** The program that tests start. Node finds the packages that it does not contain, such as pg, in the `node_modules` above. */
export const BUILT_PROGRAM = join(ROOT, '.built/gateway.js');

/** The name of the script that the page loads first. */
export function consoleScript(): string {
  const script = readdirSync(join(CONSOLE, 'console')).find((name) => /^index-[\w-]+\.js$/.test(name));
  if (script === undefined) throw new Error('The console is not built.');
  return script;
}
