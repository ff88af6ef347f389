/**
 * What OpenAI and its relatives want of a function's parameters beyond JSON Schema, and callers, who hand on what MCP
 * servers write, leave out: a root without `type` or `properties`, and an array without `items` ("array schema missing
 * items") anywhere, are 400s. Filled in, they say no more than before.
 */

import { asList, hasSameItems, isList, isObject, type Json, type JsonObject } from '../json.ts';

/** Deeper than any schema a vendor takes: what is further down stays as it is. */
const MAX_DEPTH = 100;

const SCHEMAS: readonly string[] = ['items', 'additionalProperties', 'not'];
const LISTS: readonly string[] = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const MAPS: readonly string[] = ['properties', '$defs', 'definitions', 'patternProperties'];

/** The schema with nothing missing; itself where nothing was. */
export function wholeParameters(schema: JsonObject): JsonObject {
  const filled = withItems(objectRoot(schema), 0);
  return isObject(filled['properties']) ? filled : { ...filled, properties: {} };
}

/**
 * The schema as one of an object, which arguments always are: itself where it says so. Services refuse a root without a
 * type (DeepSeek: "schema must be a JSON Schema of 'type: "object"', got 'type: null'"), as that of a union has none.
 */
export function objectRoot(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  return type === 'object' ? schema : { type: 'object', ...rest };
}

function withItems(schema: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return schema;
  const inner = (value: Json): Json => (isObject(value) ? withItems(value, depth + 1) : value);
  let filled = schema;
  for (const [key, value = null] of Object.entries(schema)) {
    const whole = fillIn(key, value, inner);
    if (whole !== value) filled = { ...filled, [key]: whole };
  }
  const { type, items } = schema;
  const isArray = type === 'array' || asList(type).includes('array');
  return isArray && items === undefined ? { ...filled, items: {} } : filled;
}

/** The value of a keyword: keys that are data are never taken for keywords. */
function fillIn(key: string, value: Json, inner: (value: Json) => Json): Json {
  if (SCHEMAS.includes(key)) return inner(value);
  if (LISTS.includes(key) && isList(value)) {
    const whole = value.map(inner);
    return hasSameItems(whole, value) ? value : whole;
  }
  if (!MAPS.includes(key) || !isObject(value)) return value;
  const whole = Object.entries(value).map(([name, one = null]) => [name, inner(one)] as const);
  return whole.every(([name, one]) => one === value[name]) ? value : Object.fromEntries(whole);
}
