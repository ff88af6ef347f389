/**
 * JSON Schema as `parametersJsonSchema` and `responseJsonSchema` take it: as it is, but that nothing may stand beside
 * a `$ref` except what begins with `$` (REST reference, GenerationConfig.responseJsonSchema).
 */

import { invalid } from '../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asList, isObject } from '../../json.ts';

/** Deeper than any schema a vendor takes. */
const MAX_DEPTH = 100;

const SCHEMAS: readonly string[] = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'];
const LISTS: readonly string[] = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const MAPS: readonly string[] = ['properties', '$defs', 'definitions', 'patternProperties'];

/**
 * The same schema, in which a `$ref` with company is the one choice of an `anyOf` beside that company.
 * @throws GatewayError `invalid-request` for a schema nested beyond all reason.
 */
export function withoutRefSiblings(schema: JsonObject): JsonObject {
  return rewrite(schema, 0);
}

function rewrite(schema: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw invalid('The JSON schema is too large.');
  const inner = (value: Json): Json => (isObject(value) ? rewrite(value, depth + 1) : value);
  const rewritten: JsonObject = Object.fromEntries(
    Object.entries(schema).map(([key, value = null]) => [key, rewriteKeyword(key, value, inner)]),
  );
  const { $ref, ...beside } = rewritten;
  if (typeof $ref !== 'string' || !Object.keys(beside).some((key) => !key.startsWith('$'))) return rewritten;
  const { anyOf } = beside;
  // Both must hold, which the vendor has no word for: the reference says more than the choice beside it.
  if (anyOf !== undefined)
    return Object.fromEntries(Object.entries(rewritten).filter(([key]) => key.startsWith('$')));
  return { ...beside, anyOf: [{ $ref }] };
}

function rewriteKeyword(key: string, value: Json, inner: (value: Json) => Json): Json {
  if (LISTS.includes(key) && Array.isArray(value)) return asList(value).map(inner);
  if (SCHEMAS.includes(key)) return inner(value);
  if (MAPS.includes(key) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, schema = null]) => [name, inner(schema)]));
  }
  return value;
}
