/** A project that has the built package installed, and next to it what its tests run. */

import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { packedManifest } from '../../build/packed-manifest.ts';
import { buildPart, type Part } from '../support/build-package.ts';
import { cleanFolder } from '../support/clean-folder.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Consumer {
  readonly directory: string;
  /** Writes a file of the project. @returns its path. */
  write(name: string, text: string): string;
  /** Installs packages of this repository. */
  link(...names: readonly string[]): void;
  /** Bundles a module with all that it imports, as for a browser. @returns the path of the one file. */
  bundle(name: string, minify?: boolean): Promise<string>;
  remove(): void;
}

/** Builds parts of what programs import, and makes the project. */
export function makeConsumer(parts: readonly Part[] = ['program', 'library']): Consumer {
  const directory = cleanFolder('consumer-');
  const modules = join(directory, 'node_modules');
  const installed = join(modules, 'fourwire');
  for (const part of parts) buildPart(part, join(installed, part === 'program' ? 'dist' : 'dist/library'));
  const manifest = packedManifest(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(join(installed, 'package.json'), manifest);
  const parser = 'node_modules/eventsource-parser';
  cpSync(join(ROOT, parser), join(directory, parser), { recursive: true });
  const write = (name: string, text: string): string => {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  write('package.json', JSON.stringify({ type: 'module', dependencies: { fourwire: '*' } }));
  return {
    directory,
    write,
    link(...names) {
      for (const name of names) {
        const path = join(modules, name);
        rmSync(path, { recursive: true, force: true });
        mkdirSync(dirname(path), { recursive: true });
        symlinkSync(join(ROOT, 'node_modules', name), path);
      }
    },
    async bundle(name, minify = false) {
      const made = `${name.replace(/\.\w+$/, '')}.bundle.js`;
      const bundle = await rolldown({ cwd: directory, input: join(directory, name), platform: 'browser' });
      await bundle.write({ dir: directory, entryFileNames: made, minify });
      return join(directory, made);
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
