/**
 * The built program and its console, which tests start as users do: a start of the built program takes a third of the CPU
 * that a start from the sources takes. A run of the tests builds either again if its sources are newer.
 */

import { existsSync, globSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { build } from 'vite';
import { programInput, programOutput } from '../../build/program.js';
import { BUILT_PROGRAM, CONSOLE } from './built-program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCES = join(ROOT, 'src');

/** Builds what has changed since it was built. */
export default async function setup(): Promise<void> {
  if (hasChanged(join(CONSOLE, 'index.html'), '{console,translate}/**/*.*'))
    await build({ configFile: join(SOURCES, 'console/vite.config.ts') });
  if (hasChanged(BUILT_PROGRAM, '**/*.*')) await buildProgram();
}

function hasChanged(built: string, sources: string): boolean {
  const since = existsSync(built) ? statSync(built).mtimeMs : 0;
  const files = globSync(sources, { cwd: SOURCES }).map((file) => join(SOURCES, file));
  const others = ['package-lock.json', 'build/program.js', 'build/smaller-packages.js'].map((file) =>
    join(ROOT, file),
  );
  return [...files, ...others].some((file) => statSync(file).mtimeMs > since);
}

/** Builds the program as `npm run build` does, beside the console that is built already. */
async function buildProgram(): Promise<void> {
  // Absent until all of it is there.
  rmSync(BUILT_PROGRAM, { force: true });
  const bundle = await rolldown({ ...programInput, cwd: ROOT });
  await bundle.write({ ...programOutput, dir: dirname(BUILT_PROGRAM) });
  await bundle.close();
  symlinkSync(CONSOLE, join(dirname(BUILT_PROGRAM), 'console'));
}
