/** The build of what programs import: `dist/library`, with one file for each entrance of the package, and its types. */

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'rolldown';
import { SCHEMA_FILE } from './config-schema.ts';
import { writeTypes } from './types.ts';

const DIRECTORY = 'dist/library';
/** Sources, from `src` on and without an ending. What is for Node is built with the program, which has the same modules. */
const ENTRANCES = { translate: 'translate/index' };
const TYPED = [...Object.values(ENTRANCES), 'server/mounted/index'];

/** The fields of a model that only the gateway reads: 2.5 KB of the catalog, compressed, that no browser needs. */
const GATEWAY_FIELDS = ['prices', 'created', 'name', 'shutdown', 'contextWindow'];

const catalogForTranslation = {
  name: 'catalog-for-translation',
  transform: {
    filter: { id: /\/catalog\/models\.json$/ },
    /** @param {string} models */
    handler(models) {
      return JSON.stringify(
        JSON.parse(models, (field, value) => (GATEWAY_FIELDS.includes(field) ? undefined : value)),
      );
    },
  },
};

export default defineConfig({
  input: Object.fromEntries(Object.entries(ENTRANCES).map(([name, path]) => [name, `src/${path}.ts`])),
  // Any runtime with Web Streams takes these files.
  platform: 'neutral',
  external: ['eventsource-parser'],
  plugins: [
    catalogForTranslation,
    {
      name: 'types-and-schema',
      writeBundle({ dir = DIRECTORY }) {
        writeTypes(join(dir, 'types'), TYPED);
        copyFileSync(SCHEMA_FILE, join(dir, 'config.schema.json'));
      },
    },
  ],
  output: {
    dir: DIRECTORY,
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // Names stay as they are, so that a stack trace can be read without a map.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  },
});
