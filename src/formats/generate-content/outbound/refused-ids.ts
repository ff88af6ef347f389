/**
 * Ids of calls in a native dialogue, for a service that has no field for them: Vertex AI until September 2026
 * (vercel/ai#15664). Results are paired with calls by their names and their order then.
 */

import { isObject, type JsonObject, withEach, withoutFields } from '../../../lib/json.ts';
import type { OptionalFields } from '../../format.ts';
import { CALLS, COUNTED, RESULTS } from './strip-foreign-content.ts';

const ID: readonly string[] = ['id'];

/** Google's sentence: Unknown name "id" at 'contents[1].parts[0].function_call': Cannot find field. */
const REFUSED = /Unknown name "id" at '[^']*function_?(?:call|response)'/i;

/** What holds an id. */
const HOLDERS = [...CALLS, ...RESULTS];

/** @see Outbound.optionalFields */
export const optionalFields: OptionalFields = {
  names: [],
  refusedIn: ({ message }) => (REFUSED.test(message) ? ID : []),
  without: (request, names) => (names.has('id') ? withoutIds(request) : request),
};

function withoutIds(request: JsonObject): JsonObject {
  const plain = withEach(request, 'contents', (content) => withEach(content, 'parts', withoutId));
  return changeObjects(plain, COUNTED, withoutIds);
}

function withoutId(part: JsonObject): JsonObject {
  return changeObjects(part, HOLDERS, (holder) => withoutFields(holder, ID));
}

/** Changes the objects in these fields. @returns the object itself if none changes. */
function changeObjects(
  object: JsonObject,
  names: readonly string[],
  change: (value: JsonObject) => JsonObject,
): JsonObject {
  let changed = object;
  for (const name of names) {
    const value = object[name];
    const made = isObject(value) ? change(value) : value;
    if (made !== undefined && made !== value) changed = { ...changed, [name]: made };
  }
  return changed;
}
