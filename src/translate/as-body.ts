/** The body that a program gives as an object. */

import { invalid } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';

/** Takes a body. @throws GatewayError `invalid-request` if a body is no JSON object. */
export function asBody(body: object): JsonObject {
  if (!isJsonObject(body)) throw invalid('The request body must be a JSON object.');
  return body;
}

/** JSON has no other objects than these, and whoever calls a library with others has the types against it. */
function isJsonObject(value: object): value is JsonObject {
  return !Array.isArray(value);
}
