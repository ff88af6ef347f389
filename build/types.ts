/** The declaration files of the package's entrances, and of what they refer to. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { configTypes } from './config-types.ts';

const ROOT = join(import.meta.dirname, '..');

/** Files whose declarations are not the compiler's. */
const WRITTEN: Readonly<Record<string, () => string>> = { 'config/config-input.d.ts': configTypes };

/** A relative import in a declaration, and one of a package's types. */
const RELATIVE = /(from |import\()'(\.[^']*)\.ts'/g;
const SDK = /^import type \* as \w+ from '(?!\.)/gm;

/**
 * Writes them.
 * @param directory where to.
 * @param entrances their sources, from `src` on and without an ending.
 */
export function writeTypes(directory: string, entrances: readonly string[]): void {
  const made = mkdtempSync(join(tmpdir(), 'types-'));
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, '-p', join(ROOT, 'build/tsconfig.json'), '--outDir', made], {
      stdio: 'inherit',
    });
    const waiting = entrances.map((entrance) => `${entrance}.d.ts`);
    const done = new Set<string>();
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (done.has(file)) continue;
      done.add(file);
      const text = WRITTEN[file]?.() ?? readFileSync(join(made, file), 'utf8');
      for (const [, , target = ''] of text.matchAll(RELATIVE))
        waiting.push(normalize(join(dirname(file), `${target}.d.ts`)));
      const path = join(directory, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, portable(text));
    }
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** A declaration that other compilers read, too: with the names of the files as they will be, and without an error where an SDK is missing. */
function portable(text: string): string {
  return text
    .replaceAll(RELATIVE, "$1'$2.js'")
    .replaceAll(SDK, (line) => `// @ts-ignore This SDK may not be installed.\n${line}`);
}
