/**
 * JSON Schema of older drafts in the words of draft 2020-12. Vendors check every tool against that draft, and refuse
 * the whole request if one does not match (Anthropic: "JSON schema is invalid. It must match JSON Schema draft
 * 2020-12"; OpenAI: "[…] is not of type 'object', 'boolean'"). MCP servers use draft-07, where a tuple is a list of
 * `items`, or older drafts, where true or false makes a bound exclusive and a property required. Programs in Go also
 * write null for what they leave out (`properties: null`, mark3labs/mcp-go#224: "null found, object expected").
 */

import { asList, asNumber, isList, isObject, type Json, type JsonObject } from '../../lib/json.ts';

/** Keywords that may have the value null. */
const VALUES = ['const', 'default'];

/** One schema in the newest draft, without the schemas in it; itself if nothing had to change. */
export function inNewestDraft(schema: JsonObject): JsonObject {
  const said = withoutNothing(schema);
  const rewritten = withPrefix(
    withBound(withBound(said, 'exclusiveMinimum', 'minimum'), 'exclusiveMaximum', 'maximum'),
  );
  if (typeof rewritten['required'] !== 'boolean') return rewritten;
  const { required: _, ...rest } = rewritten;
  return rest;
}

/** The schema without keywords that are null; itself if there are none. */
function withoutNothing(schema: JsonObject): JsonObject {
  for (const key in schema) {
    if (!isSaid(key, schema[key]))
      return Object.fromEntries(Object.entries(schema).filter(([name, value]) => isSaid(name, value)));
  }
  return schema;
}

function isSaid(keyword: string, value: Json | undefined): boolean {
  return value !== null || VALUES.includes(keyword);
}

/** A tuple as `prefixItems`. If nothing may follow its places, `maxItems` is their number. */
function withPrefix(schema: JsonObject): JsonObject {
  // To take an object apart is a copy, and nearly no schema needs one.
  if (!isList(schema['items'])) return schema;
  const { items: places, additionalItems, ...rest } = schema;
  const items = asList(places);
  return {
    ...(additionalItems === false && { maxItems: items.length }),
    ...rest,
    ...(items.length > 0 && { prefixItems: items }),
    items: isObject(additionalItems) ? additionalItems : {},
  };
}

/** A bound that true or false made exclusive, as one keyword. */
function withBound(schema: JsonObject, exclusive: string, inclusive: string): JsonObject {
  if (typeof schema[exclusive] !== 'boolean') return schema;
  const { [exclusive]: isExclusive, [inclusive]: bound, ...rest } = schema;
  const name = isExclusive ? exclusive : inclusive;
  return asNumber(bound) === undefined || bound === undefined ? rest : { ...rest, [name]: bound };
}
