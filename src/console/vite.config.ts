/**
 * The build of the console into static files: `index.html`, and beside it all other files in `console/`, under names
 * that change with their content. Each file also lies there compressed, so that no request has to compress it.
 *
 * Preact is chosen because the compiler that checks the rest of the product checks its components too (Svelte and Vue
 * have compilers and type checkers of their own), because it is a tenth of React and runs React's ecosystem, and because
 * it renders to elements: no text ever becomes HTML, which the page's Trusted Types policy forbids.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const ROOT = import.meta.dirname;

/** Below this size in bytes, compression saves no packet. */
const SMALL = 1_400;

/** Writes `<name>.gz` beside each file that gets smaller by it. */
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    writeBundle({ dir = '' }, bundle) {
      for (const { fileName } of Object.values(bundle)) {
        const bytes = readFileSync(join(dir, fileName));
        if (bytes.length > SMALL && !fileName.endsWith('.map'))
          writeFileSync(join(dir, `${fileName}.gz`), gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  root: ROOT,
  // A proxy may serve the gateway below a path of its own, so no address begins with a slash.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [compress()],
  build: {
    outDir: join(ROOT, '../../dist/console'),
    emptyOutDir: true,
    assetsDir: 'console',
    // The policy of the page allows no `data:` addresses.
    assetsInlineLimit: 0,
    // What all browsers of the last two years run.
    target: 'es2024',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    // The licences are in `LICENSES.txt` of the whole build.
    rolldownOptions: { output: { comments: { legal: false } } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/v1beta', '/console/models.json', '/admin', '/metrics'].map((path) => [
        path,
        process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8787',
      ]),
    ),
  },
});
