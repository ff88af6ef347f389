/** Which version of the program this is: what its package.json says, beside `src` and beside `dist`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject, asText, parseJson } from '../lib/json.ts';

/** @throws Error where there is no package.json. */
export function version(): string {
  const about = parseJson(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));
  return asText(asObject(about)?.['version']) ?? '0';
}
