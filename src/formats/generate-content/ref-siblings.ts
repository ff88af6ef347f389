/**
 * JSON Schema as `parametersJsonSchema` and `responseJsonSchema` take it: as it is, but that nothing may stand beside
 * a `$ref` except what begins with `$` (REST reference, GenerationConfig.responseJsonSchema).
 */

import { ALL_PLACES, withSchemas } from '../../conversation/schema-places.ts';
import { invalid } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';

/** Deeper than any schema a vendor takes. */
const MAX_DEPTH = 100;

/**
 * The same schema, in which a `$ref` with company is the one choice of an `anyOf` beside that company.
 * @throws GatewayError `invalid-request` for a schema nested beyond all reason.
 */
export function withoutRefSiblings(schema: JsonObject): JsonObject {
  return rewrite(schema, 0);
}

function rewrite(schema: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw invalid('The JSON schema is too large.');
  const inner = (one: JsonObject): JsonObject => rewrite(one, depth + 1);
  const rewritten: JsonObject = Object.fromEntries(
    Object.entries(schema).map(([key, value = null]) => [key, withSchemas(key, value, ALL_PLACES, inner)]),
  );
  const { $ref, ...beside } = rewritten;
  if (typeof $ref !== 'string' || !Object.keys(beside).some((key) => !key.startsWith('$'))) return rewritten;
  const { anyOf } = beside;
  // Both must hold, which the vendor has no word for: the reference says more than the choice beside it.
  if (anyOf !== undefined)
    return Object.fromEntries(Object.entries(rewritten).filter(([key]) => key.startsWith('$')));
  return { ...beside, anyOf: [{ $ref }] };
}
