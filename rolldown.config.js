/** The build of `dist`: the program (`build/program.js`), with the console and the licences of all packages beside it. */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig } from 'rolldown';
import { build } from 'vite';
import { programInput, programOutput } from './build/program.js';

const ROOT = import.meta.dirname;

/** Builds the console beside the modules that serve it. @returns the modules that are in it */
async function buildConsole(folder) {
  const configFile = join(ROOT, 'src/console/vite.config.ts');
  // The console's own build would take a relative path for one from its sources on.
  const { output } = await build({ configFile, build: { outDir: resolve(folder, 'console') } });
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/** Writes the licences of all packages that are in the files, as most of those licences ask. */
function writeLicenses(folder, modules) {
  const packages = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []),
  );
  const texts = [...packages].sort().map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const files = globSync('{LICEN[CS]E,license,licence}*', { cwd: path });
    const said = files.map((file) => readFileSync(join(path, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...said].join('\n\n');
  });
  writeFileSync(join(folder, 'LICENSES.txt'), `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
}

export default defineConfig({
  ...programInput,
  plugins: [
    ...programInput.plugins,
    {
      name: 'files-beside',
      async writeBundle({ dir }, bundle) {
        const modules = Object.values(bundle).flatMap((chunk) => chunk.moduleIds ?? []);
        writeLicenses(dir, [...modules, ...(await buildConsole(dir))]);
      },
    },
  ],
  output: { ...programOutput, dir: 'dist' },
});
