/**
 * The build of `dist`: the program in a few files. A start that reads these, and not a thousand modules of its own and of
 * packages, takes half the CPU time and 45 MB less memory (`npm run bench:start`).
 */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig } from 'rolldown';
import { build } from 'vite';
import { smallerPackages } from './build/smaller-packages.js';
import about from './package.json' with { type: 'json' };

const ROOT = import.meta.dirname;

/**
 * Whoever needs these installs them. The OpenTelemetry API is bundled, because prom-client loads it at every start; all
 * copies of it in a process share their state.
 */
const OPTIONAL = Object.keys(about.peerDependencies).filter((name) => name !== '@opentelemetry/api');

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
  // The program, and what other programs import. What runs in a thread is an entry too: it is loaded by the path of a
  // file, which lies beside every other one.
  input: {
    gateway: 'src/cli/gateway.js',
    index: 'src/server/mounted/index.ts',
    'thread-host': 'src/store/thread-host.ts',
    'sqlite-service': 'src/store/sqlite-service.ts',
    'accounting-service': 'src/accounting/worker/accounting-service.ts',
  },
  platform: 'node',
  external: [...OPTIONAL.map((name) => new RegExp(`^${name}(?:/|$)`)), 'pg-native'],
  plugins: [
    smallerPackages,
    {
      name: 'files-beside',
      async writeBundle({ dir }, bundle) {
        const modules = Object.values(bundle).flatMap((chunk) => chunk.moduleIds ?? []);
        writeLicenses(dir, [...modules, ...(await buildConsole(dir))]);
      },
    },
  ],
  output: {
    dir: 'dist',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
    // V8 keeps the source of a module in memory, with two bytes for each character if a single one is beyond Latin-1.
    charset: 'ascii',
    // Functions and classes keep their names, so that a stack trace can be read without the map.
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  },
});
