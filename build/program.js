/**
 * The program in a few files: how `npm run build` builds it, and how the tests do. A start that reads these, and not a
 * thousand modules of its own and of packages, takes half the CPU time and 45 MB less memory (`npm run bench:start`).
 */

import about from '../package.json' with { type: 'json' };
import { smallerPackages } from './smaller-packages.js';

/**
 * Whoever needs these installs them. The OpenTelemetry API is bundled, because prom-client loads it at every start; all
 * copies of it in a process share their state.
 */
const OPTIONAL = Object.keys(about.peerDependencies).filter((name) => name !== '@opentelemetry/api');

export const programInput = {
  // The program, and what other programs import. What runs in a thread is an entry too: it is loaded by the path of a
  // file, which lies beside every other one.
  input: {
    gateway: 'src/cli/gateway.js',
    index: 'src/server/mounted/index.ts',
    'thread-host': 'src/store/threads/thread-host.ts',
    'sqlite-service': 'src/store/sqlite/sqlite-service.ts',
    'accounting-service': 'src/accounting/worker/accounting-service.ts',
  },
  platform: /** @type {const} */ ('node'),
  external: [...OPTIONAL.map((name) => new RegExp(`^${name}(?:/|$)`)), 'pg-native'],
  plugins: [smallerPackages],
};

export const programOutput = {
  cleanDir: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  sourcemap: true,
  // V8 keeps the source of a module in memory, with two bytes for each character if a single one is beyond Latin-1.
  charset: /** @type {const} */ ('ascii'),
  // Functions and classes keep their names, so that a stack trace can be read without the map.
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
};
