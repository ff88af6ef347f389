/** Which version of the program this is: what its package.json says, above `src` and above `dist`. */

import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { asObject, asText, parseJson } from '../lib/json.ts';

/** @throws Error where there is no package.json. */
export function version(): string {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) throw new Error('The gateway has no package.json.');
  const about = parseJson(readFileSync(file, 'utf8'));
  return asText(asObject(about)?.['version']) ?? '0';
}
