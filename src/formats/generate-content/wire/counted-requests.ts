/**
 * The request that a count of tokens is about (REST reference, `models.countTokens`). Its field has two spellings, as
 * every field of Google's JSON. What Google reads of a body with both is not documented, so both are looked at.
 */

import { isObject, type JsonObject } from '../../../lib/json.ts';

/** The field of a token count that holds a whole request, in both of its spellings. */
export const COUNTED = ['generateContentRequest', 'generate_content_request'] as const;

/** The requests inside a token count; the body itself if it holds none. */
export function findRequests(body: JsonObject): readonly JsonObject[] {
  const held = COUNTED.map((name) => body[name]).filter(isObject);
  return held.length > 0 ? held : [body];
}
