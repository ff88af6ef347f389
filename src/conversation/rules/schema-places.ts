/** Where schemas stand in a JSON Schema (draft 2020-12): keys that are data, as a property's name, are no keywords. */

import { hasSameItems, isList, isObject, type Json, type JsonObject } from '../../lib/json.ts';

/** Keywords whose values are made of schemas. Vendors know different ones. */
export interface SchemaPlaces {
  /** The value is a schema. */
  readonly schemas: readonly string[];
  /** The value is a list of schemas. */
  readonly lists: readonly string[];
  /** The value is an object of schemas by names that are data. */
  readonly maps: readonly string[];
}

/** Those of JSON Schema, old drafts and new. */
export const ALL_PLACES: SchemaPlaces = {
  schemas: ['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else'],
  lists: ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'],
  maps: ['properties', '$defs', 'definitions', 'patternProperties'],
};

/** A keyword's value with each schema that stands in it, one level down, as `change` makes it; itself where none changed. */
export function withSchemas(
  key: string,
  value: Json,
  { schemas, lists, maps }: SchemaPlaces,
  change: (schema: JsonObject) => JsonObject,
): Json {
  const changed = (inner: Json): Json => (isObject(inner) ? change(inner) : inner);
  if (lists.includes(key) && isList(value)) {
    const list = value.map(changed);
    return hasSameItems(list, value) ? value : list;
  }
  if (schemas.includes(key)) return changed(value);
  if (!maps.includes(key) || !isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner = null]) => [name, changed(inner)] as const);
  return entries.every(([name, inner]) => inner === value[name]) ? value : Object.fromEntries(entries);
}

/** Deeper than any schema a vendor takes: what is further down stays as it is. */
const MAX_DEPTH = 100;

/**
 * A schema and all that stand in it, as `step` makes each of them; itself where none changed.
 * @param step is given a schema before those that stand in it.
 */
export function rewritten(
  schema: JsonObject,
  step: (schema: JsonObject) => JsonObject,
  depth = 0,
): JsonObject {
  if (depth > MAX_DEPTH) return schema;
  const inner = (one: JsonObject): JsonObject => rewritten(one, step, depth + 1);
  let whole = step(schema);
  for (const [key, value = null] of Object.entries(whole)) {
    const changed = withSchemas(key, value, ALL_PLACES, inner);
    if (changed !== value) whole = { ...whole, [key]: changed };
  }
  return whole;
}
