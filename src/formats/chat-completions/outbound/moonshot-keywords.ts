/** Keywords that several of Moonshot's rules for schemas refer to. */

import type { JsonObject } from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';

/** Keywords that may stand beside anything. */
export const NOTES: readonly string[] = ['description', 'title'];

/** Keywords of the type `object`. */
export const OBJECT_KEYWORDS = wordList(`
  properties required additionalProperties minProperties maxProperties
`);

/** The schema with only these keywords. */
export function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)));
}
