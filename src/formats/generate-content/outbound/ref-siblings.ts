/**
 * JSON Schema for `parametersJsonSchema` and `responseJsonSchema`. They take it as it is, except that only keywords
 * that begin with `$` may stand beside a `$ref` (REST reference, GenerationConfig.responseJsonSchema).
 */

import { rewriteSchema } from '../../../conversation/rules/schema-places.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** What is reported of a schema that `withoutRequiredLoops` changes. */
export const LOOP_OPENED = 'properties in which the schema holds itself are optional';

/** The same schema, in which a `$ref` with other keywords becomes the one choice of an `anyOf` beside them. */
export function withoutRefSiblings(schema: JsonObject): JsonObject {
  return rewriteSchema(schema, isolateRef);
}

function isolateRef(schema: JsonObject): JsonObject {
  // To take an object apart is a copy, and most schemas have no reference.
  if (typeof schema['$ref'] !== 'string') return schema;
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string' || !Object.keys(beside).some((key) => !key.startsWith('$'))) return schema;
  // The reference and the choice must both hold, and the vendor has no word for that. The reference says more.
  if (beside['anyOf'] !== undefined)
    return Object.fromEntries(Object.entries(schema).filter(([key]) => key.startsWith('$')));
  return { ...beside, anyOf: [{ $ref }] };
}
