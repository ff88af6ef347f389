/**
 * JSON Schema as `parametersJsonSchema` and `responseJsonSchema` take it: as it is, but that nothing may stand beside
 * a `$ref` except what begins with `$` (REST reference, GenerationConfig.responseJsonSchema).
 */

import { rewritten } from '../../../conversation/rules/schema-places.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** The same schema, in which a `$ref` with company is the one choice of an `anyOf` beside that company. */
export function withoutRefSiblings(schema: JsonObject): JsonObject {
  return rewritten(schema, alone);
}

function alone(schema: JsonObject): JsonObject {
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string' || !Object.keys(beside).some((key) => !key.startsWith('$'))) return schema;
  // Both must hold, which the vendor has no word for: the reference says more than the choice beside it.
  if (beside['anyOf'] !== undefined)
    return Object.fromEntries(Object.entries(schema).filter(([key]) => key.startsWith('$')));
  return { ...beside, anyOf: [{ $ref }] };
}
