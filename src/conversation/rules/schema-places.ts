/**
 * The places of schemas in a JSON Schema (draft 2020-12). Keys that are data, such as a property's name, are not
 * keywords.
 */

import { isList, isObject, type Json, type JsonObject, mapFields } from '../../lib/json.ts';
import { mapItems } from '../../lib/lists.ts';

/** Keywords whose values hold schemas. Vendors know different ones. */
export interface SchemaPlaces {
  /** The value is a schema. */
  readonly schemas: readonly string[];
  /** The value is a list of schemas. */
  readonly lists: readonly string[];
  /** The value is an object of schemas, whose names are data. */
  readonly maps: readonly string[];
}

/** The places in JSON Schema, of old drafts and new. */
export const ALL_PLACES: SchemaPlaces = {
  schemas: ['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else'],
  lists: ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'],
  maps: ['properties', '$defs', 'definitions', 'patternProperties'],
};

/** A keyword's value, in which `change` has changed each schema one level down; itself if none changed. */
export function mapSchemas(
  key: string,
  value: Json,
  { schemas, lists, maps }: SchemaPlaces,
  change: (schema: JsonObject) => JsonObject,
): Json {
  // Most keywords of a schema hold texts and numbers.
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) {
    return lists.includes(key)
      ? mapItems(value, (inner) => (isObject(inner) ? change(inner) : inner))
      : value;
  }
  if (schemas.includes(key)) return change(value);
  if (!maps.includes(key)) return value;
  return mapFields(value, (inner) => (isObject(inner) ? change(inner) : inner));
}

/** Deeper than any schema that a vendor takes. What lies deeper stays as it is. */
const MAX_DEPTH = 100;

/**
 * A schema, in which `step` has changed it and all schemas in it; itself if none changed.
 * @param step receives a schema before the schemas inside it.
 */
export function rewriteSchema(
  schema: JsonObject,
  step: (schema: JsonObject) => JsonObject,
  depth = 0,
): JsonObject {
  if (depth > MAX_DEPTH) return schema;
  const inner = (one: JsonObject): JsonObject => rewriteSchema(one, step, depth + 1);
  return mapFields(step(schema), (value, key) => mapSchemas(key, value, ALL_PLACES, inner));
}

/** Whether a reference is anywhere in a schema. Most schemas have none. */
export function hasReference(value: Json | undefined, depth = 0): boolean {
  // Between a schema and one inside it there may be a list or an object of schemas.
  if (typeof value !== 'object' || value === null || depth > 2 * MAX_DEPTH) return false;
  if (isList(value)) return value.some((item) => hasReference(item, depth + 1));
  for (const key in value) if (key === '$ref' || hasReference(value[key], depth + 1)) return true;
  return false;
}
