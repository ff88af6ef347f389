/** What may be in the `response` of a `functionResponse`, which is an object (REST reference, FunctionResponse). */

import { tryParseExact } from '../../../conversation/rules/arguments.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';

/**
 * The object that a tool's text holds, if it can stand as a `response`; undefined for any other text.
 *
 * An object with a `$ref`, as schemas have, stays a text: Gemini looks the reference up among the media beside the
 * response, and refuses a request with one that it does not find ("The referenced name `#/$defs/a` in
 * function_response.response does not match to a display_name in the function_response.parts").
 */
export function parseResponseText(text: string): JsonObject | undefined {
  // The first letter tells most texts from objects without parsing them.
  if (!text.trimStart().startsWith('{') || text.includes('"$ref"')) return undefined;
  const value = tryParseExact(text);
  return isObject(value) ? value : undefined;
}
