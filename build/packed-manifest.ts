/**
 * The package.json that npm publishes: without what only a clone needs. The Node that npm installs in a clone would be
 * the Node of all scripts of a project that has the gateway installed, and 120 MB. `prepack` writes the file, and
 * `postpack` puts the clone's own back.
 */

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject, parseJson } from '../src/lib/json.ts';

const ROOT = join(import.meta.dirname, '..');
const MANIFEST = join(ROOT, 'package.json');
const KEPT = join(ROOT, 'package.clone.json');

const OF_A_CLONE = new Set(['scripts', 'devDependencies', 'optionalDependencies', 'overrides']);

/** Makes the text of the published file. @param text the clone's file. */
export function packedManifest(text: string): string {
  const fields = Object.entries(asObject(parseJson(text)) ?? {}).filter(([name]) => !OF_A_CLONE.has(name));
  return `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`;
}

if (import.meta.main) {
  if (process.argv[2] === '--undo') renameSync(KEPT, MANIFEST);
  else {
    const text = readFileSync(MANIFEST, 'utf8');
    writeFileSync(KEPT, text);
    writeFileSync(MANIFEST, packedManifest(text));
  }
}
