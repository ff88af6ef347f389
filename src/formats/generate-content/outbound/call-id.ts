/** The id of a call and of its result. */

import type { JsonObject } from '../../../lib/json.ts';
import type { ModelTraits } from '../../format.ts';
import { isGeminiId } from '../wire/ids.ts';

/**
 * The id to be spread into a call or a result. A service that has refused one gets none, and pairs results with calls by
 * their names and their order: Vertex AI had no field for it until September 2026 (vercel/ai#15664, anomalyco/opencode#50504).
 * @param id in the dialogue; '' if the vendor must not get it.
 * @param given the id exactly as a caller of this format wrote it, if that differs.
 */
export function renderCallId(id: string, given: string | undefined, { avoids }: ModelTraits): JsonObject {
  if (avoids?.has('unusual-call-ids')) return NONE;
  const own = isGeminiId(id) ? id : given;
  return own === undefined ? NONE : { id: own };
}

const NONE: JsonObject = {};
