/** What the requests for a count have in common. */

import type { JsonObject } from '../json.ts';

/** The fields of a request that are counted: vendors refuse the others where they only count. */
export function onlyFields(request: JsonObject, counted: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(request).filter(([field]) => counted.has(field)));
}
