/**
 * JSON Schema of older drafts in the words of 2020-12. Vendors judge every tool by that draft and refuse the whole
 * request for one that is none (Anthropic: "JSON schema is invalid. It must match JSON Schema draft 2020-12"; OpenAI:
 * "[…] is not of type 'object', 'boolean'"), while MCP servers are written in draft-07, where a tuple is a list of
 * `items`, or older ones, where a bound is exclusive, and a property required, by true or false, or by programs that
 * write null for what they leave out, as Go's do (`properties: null`, mark3labs/mcp-go#224: "null found, object expected").
 */

import { asNumber, isList, isObject, type JsonObject } from '../../lib/json.ts';

/** Keywords of which null is a value. */
const VALUES = ['const', 'default'];

/** One schema, whatever stands in it; itself where nothing had to change. */
export function inNewestDraft(schema: JsonObject): JsonObject {
  const said = withoutNothing(schema);
  const rewritten = withPrefix(
    withBound(withBound(said, 'exclusiveMinimum', 'minimum'), 'exclusiveMaximum', 'maximum'),
  );
  if (typeof rewritten['required'] !== 'boolean') return rewritten;
  const { required: _, ...rest } = rewritten;
  return rest;
}

/** The schema without keywords that are null; itself where there are none. */
function withoutNothing(schema: JsonObject): JsonObject {
  const isSaid = (key: string): boolean => schema[key] !== null || VALUES.includes(key);
  const keys = Object.keys(schema);
  if (keys.every(isSaid)) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([key]) => isSaid(key)));
}

/** A tuple's places, and what may come after them: where nothing may, there are no more items than places. */
function withPrefix(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = schema;
  if (!isList(items)) return schema;
  return {
    ...(additionalItems === false && { maxItems: items.length }),
    ...rest,
    ...(items.length > 0 && { prefixItems: items }),
    items: isObject(additionalItems) ? additionalItems : {},
  };
}

function withBound(schema: JsonObject, exclusive: string, inclusive: string): JsonObject {
  const { [exclusive]: isExclusive, [inclusive]: bound, ...rest } = schema;
  if (typeof isExclusive !== 'boolean') return schema;
  const name = isExclusive ? exclusive : inclusive;
  return asNumber(bound) === undefined || bound === undefined ? rest : { ...rest, [name]: bound };
}
