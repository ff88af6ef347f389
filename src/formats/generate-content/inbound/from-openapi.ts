/**
 * The OpenAPI 3.0 subset that Gemini's `parameters` and `responseSchema` take (REST reference, `Schema`), as JSON
 * Schema. Only the places where a schema may stand are walked, so a property named `type` stays as it is.
 */

import { mapSchemas, type SchemaPlaces } from '../../../conversation/rules/schema-places.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { isList } from '../../../lib/json.ts';

/** Deeper than any schema that a vendor takes. */
const MAX_DEPTH = 100;
/** Keywords of the subset in snake_case, as some SDKs write them. */
const SNAKE_CASE: ReadonlyMap<string, string> = new Map([
  ['any_of', 'anyOf'],
  ['min_items', 'minItems'],
  ['max_items', 'maxItems'],
  ['min_length', 'minLength'],
  ['max_length', 'maxLength'],
  ['min_properties', 'minProperties'],
  ['max_properties', 'maxProperties'],
  ['property_ordering', 'propertyOrdering'],
  ['additional_properties', 'additionalProperties'],
]);

const PLACES: SchemaPlaces = {
  schemas: ['items', 'additionalProperties'],
  lists: ['anyOf', 'oneOf', 'allOf', 'prefixItems'],
  maps: ['properties', '$defs', 'definitions'],
};

/**
 * The OpenAPI subset as JSON Schema: types in lower case, `nullable` as the type `null`, and counts as numbers, which
 * protobuf writes as strings (64-bit integers). Keywords of JSON Schema stay as they are.
 * @throws GatewayError `invalid-request` for a schema that is too deep.
 */
export function fromOpenApi(schema: JsonObject): JsonObject {
  return widen(schema, 0);
}

function widen(value: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw invalid('The JSON schema is too large.');
  const inner = (schema: JsonObject): JsonObject => widen(schema, depth + 1);
  const { nullable, ...keywords } = value;
  const schema: JsonObject = Object.fromEntries(
    Object.entries(keywords).map(([key, said = null]) => {
      const name = SNAKE_CASE.get(key) ?? key;
      return [name, mapSchemas(name, plainKeyword(name, said), PLACES, inner)];
    }),
  );
  return nullable === true ? nullableSchema(schema) : schema;
}

function plainKeyword(name: string, value: Json): Json {
  if (typeof value !== 'string') return value;
  if (name === 'type') return value.toLowerCase();
  return /^m(?:in|ax)(?:Items|Length|Properties)$/.test(name) ? Number(value) : value;
}

function nullableSchema(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values } = schema;
  return {
    ...schema,
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...(isList(anyOf) && { anyOf: [...anyOf, { type: 'null' }] }),
    ...(isList(values) && { enum: [...values, null] }),
  };
}
