/**
 * Ids of calls in a native dialogue, for a service that has no field for them: Vertex AI until September 2026
 * (vercel/ai#15664). Results are paired with calls by their names and their order then.
 */

import { type JsonObject, withObjects, withoutFields } from '../../../lib/json.ts';
import type { OptionalFields } from '../../format.ts';
import { COUNTED } from '../wire/counted-requests.ts';
import { withEachRepeated } from '../wire/protobuf-json.ts';
import { CALLS, RESULTS } from './strip-foreign-content.ts';

const ID: readonly string[] = ['id'];

/** Google's sentence: Unknown name "id" at 'contents[1].parts[0].function_call': Cannot find field. */
const REFUSED = /Unknown name "id" at '[^']*function_?(?:call|response)'/i;

const HOLDERS = [...CALLS, ...RESULTS];

/** The ids, as optional fields. */
export const callIds: OptionalFields = {
  names: [],
  refusedIn: ({ message }) => (REFUSED.test(message) ? ID : []),
  without: (request, names) => (names.has('id') ? withoutIds(request) : request),
};

function withoutIds(request: JsonObject): JsonObject {
  const plain = withEachRepeated(request, 'contents', (content) =>
    withEachRepeated(content, 'parts', withoutId),
  );
  return withObjects(plain, COUNTED, withoutIds);
}

function withoutId(part: JsonObject): JsonObject {
  return withObjects(part, HOLDERS, (holder) => withoutFields(holder, ID));
}
