/** The results of OpenAI's moderation in an answer. Chat-completions has lists of them, and responses has single ones. */

import { asObject, asObjects, type Json, type JsonObject } from '../../lib/json.ts';

/**
 * Renders what a response has: `{ moderation }`, to be spread, or nothing if there is none.
 * @param moderation of an answer in either format.
 */
export function renderModeration(moderation: Json | undefined): JsonObject {
  const sides = asObject(moderation);
  if (sides === undefined) return {};
  return {
    moderation: Object.fromEntries(Object.entries(sides).map(([side, result]) => [side, toSingle(result)])),
  };
}

function toSingle(side: Json | undefined): Json {
  const { type, results } = asObject(side) ?? {};
  return type === 'moderation_results' ? (asObjects(results)[0] ?? null) : (side ?? null);
}
