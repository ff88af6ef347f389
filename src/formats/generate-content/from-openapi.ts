/**
 * The OpenAPI 3.0 subset that Gemini's `parameters` and `responseSchema` take (REST reference, `Schema`), as JSON Schema.
 * Only the places where a schema may stand are walked, so that a property named `type` is left alone.
 */

import { invalid } from '../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asList, isObject } from '../../json.ts';

/** Deeper than any schema a vendor takes. */
const MAX_DEPTH = 100;
/** Names of the subset in snake_case, as some SDKs write them. */
const SPELLINGS: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  min_items: 'minItems',
  max_items: 'maxItems',
  min_length: 'minLength',
  max_length: 'maxLength',
  min_properties: 'minProperties',
  max_properties: 'maxProperties',
  property_ordering: 'propertyOrdering',
  additional_properties: 'additionalProperties',
};

/**
 * The OpenAPI subset as JSON Schema: types in lower case, `nullable` as a type of its own, counts written as strings
 * (protobuf's 64-bit integers) as numbers. What is JSON Schema already stays as it is.
 * @throws GatewayError `invalid-request` for a schema beyond all reason.
 */
export function fromOpenApi(schema: JsonObject): JsonObject {
  return widen(schema, 0);
}

function widen(value: Json, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw invalid('The JSON schema is too large.');
  if (!isObject(value)) return {};
  const entries = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
    const name = Object.hasOwn(SPELLINGS, key) ? (SPELLINGS[key] ?? key) : key;
    return inner === undefined || name === 'nullable' ? [] : [[name, widenKeyword(name, inner, depth)]];
  });
  const schema: JsonObject = Object.fromEntries(entries);
  return value['nullable'] === true ? nullableSchema(schema) : schema;
}

function widenKeyword(name: string, value: Json, depth: number): Json {
  const inner = (schema: Json): Json => (isObject(schema) ? widen(schema, depth + 1) : schema);
  switch (name) {
    case 'type':
      return typeof value === 'string' ? value.toLowerCase() : value;
    case 'properties':
    case '$defs':
    case 'definitions':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, inner(schema ?? {})]))
        : value;
    case 'items':
    case 'additionalProperties':
      return inner(value);
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
    case 'prefixItems':
      return Array.isArray(value) ? asList(value).map(inner) : value;
    default:
      return /^m(?:in|ax)(?:Items|Length|Properties)$/.test(name) && typeof value === 'string'
        ? Number(value)
        : value;
  }
}

function nullableSchema(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema;
  const values = schema['enum'];
  return {
    ...schema,
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...(Array.isArray(anyOf) && { anyOf: [...asList(anyOf), { type: 'null' }] }),
    ...(Array.isArray(values) && { enum: [...asList(values), null] }),
  };
}
