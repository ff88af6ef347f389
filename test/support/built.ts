/**
 * The built program and its console, which tests start as users do: a start of the built program takes a third of the CPU
 * that a start from the sources takes. A run of the tests builds either again if its sources are newer.
 */

import { rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { build } from 'vite';
import { programInput, programOutput } from '../../build/program.js';
import { BUILT_PROGRAM, CONSOLE } from './built-program.ts';
import { isOlder } from './is-older.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Modules of the program that tests reach into, by the names that `preload.ts` has for them. */
const REACHED = { formats: 'src/formats/formats.ts' };

/** Builds what has changed since it was built. */
export default async function setup(): Promise<void> {
  const page = join(CONSOLE, 'index.html');
  if (isOlder(page, ['src/{console,translate}/**/*.*', 'package-lock.json']))
    await build({ configFile: join(ROOT, 'src/console/vite.config.ts') });
  if (isOlder(BUILT_PROGRAM, ['src/**/*.*', 'build/*.js', 'package-lock.json'])) await buildProgram();
}

/** Builds the program as `npm run build` does, beside the console that is built already. */
async function buildProgram(): Promise<void> {
  // Absent until all of it is there.
  rmSync(BUILT_PROGRAM, { force: true });
  const bundle = await rolldown({ ...programInput, input: { ...programInput.input, ...REACHED }, cwd: ROOT });
  await bundle.write({ ...programOutput, dir: dirname(BUILT_PROGRAM) });
  await bundle.close();
  symlinkSync(CONSOLE, join(dirname(BUILT_PROGRAM), 'console'));
}
