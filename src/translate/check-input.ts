/** Checks what a program gives, since JavaScript does not. */

import { FORMAT_NAMES, type FormatName } from '../conversation/format-name.ts';
import { invalid } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';

/** Takes a body. @throws GatewayError `invalid-request` if a body is no JSON object. */
export function asBody(body: object): JsonObject {
  if (!isJsonObject(body)) throw invalid('The request body must be a JSON object.');
  return body;
}

/** Programs pass on what a caller has sent, which may be null. JSON has no other objects than the rest. */
function isJsonObject(value: object | null): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks names of formats. @throws TypeError if there is no such format. */
export function checkFormats(...names: readonly FormatName[]): void {
  for (const name of names)
    if (!FORMAT_NAMES.includes(name))
      throw new TypeError(`Unknown format "${name}". Use one of ${FORMAT_NAMES.join(', ')}.`);
}
