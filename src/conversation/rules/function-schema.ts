/**
 * What OpenAI and its relatives want of a function's parameters beyond JSON Schema, and callers, who hand on what MCP
 * servers write, leave out: a root without `type` or `properties`, and an array without `items` ("array schema missing
 * items") anywhere, are 400s. Filled in, they say no more than before. So is a pattern that they cannot read, as Claude
 * Code's own tools and every `z.email()` have one: it is left out, for the tool is worth more than its pattern.
 */

import { asList, asObject, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { isPlainPattern } from './patterns.ts';
import { inNewestDraft } from './schema-draft.ts';
import { rewritten } from './schema-places.ts';

/**
 * The schema with nothing missing; itself where nothing was.
 * @param lose is told each pattern that is left out.
 */
export function wholeParameters(schema: JsonObject, lose: (pattern: string) => void): JsonObject {
  const step = (one: JsonObject): JsonObject => withItems(readable(inNewestDraft(one), lose));
  const filled = rewritten(objectRoot(schema), step);
  return isObject(filled['properties']) ? filled : { ...filled, properties: {} };
}

/**
 * The schema in the words of the newest draft, without patterns that some service cannot read; itself where nothing had
 * to change.
 * @param lose is told each pattern that is left out.
 */
export function readableSchema(schema: JsonObject, lose: (pattern: string) => void): JsonObject {
  return rewritten(schema, (one) => readable(inNewestDraft(one), lose));
}

/** The schema and all in it in the words of the newest draft; itself where nothing had to change. */
export function newestSchema(schema: JsonObject): JsonObject {
  return rewritten(schema, inNewestDraft);
}

/**
 * The schema without what a property that is named `properties` says of further ones by true or false, for a service that
 * takes that name for the keyword; itself where there is none.
 */
export function withoutClosedProperties(schema: JsonObject): JsonObject {
  return rewritten(schema, opened);
}

function opened(schema: JsonObject): JsonObject {
  const named = asObject(schema['properties']);
  const { additionalProperties, ...rest } = asObject(named?.['properties']) ?? {};
  return typeof additionalProperties === 'boolean'
    ? { ...schema, properties: { ...named, properties: rest } }
    : schema;
}

/**
 * The schema as one of an object, which arguments always are: itself where it says so. Services refuse a root without a
 * type (DeepSeek: "schema must be a JSON Schema of 'type: "object"', got 'type: null'"), as that of a union has none.
 */
export function objectRoot(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  return type === 'object' ? schema : { type: 'object', ...rest };
}

function withItems(schema: JsonObject): JsonObject {
  const { type, items } = schema;
  const isArray = type === 'array' || asList(type).includes('array');
  return isArray && items === undefined ? { ...schema, items: {} } : schema;
}

/** The schema without patterns of its own that cannot be read; itself where there is none. */
function readable(schema: JsonObject, lose: (pattern: string) => void): JsonObject {
  const { pattern, ...plain } = schema;
  const kept = isForeign(pattern) ? plain : schema;
  if (kept === plain && typeof pattern === 'string') lose(pattern);
  const { patternProperties: named } = schema;
  const foreign = isObject(named) ? Object.keys(named).filter(isForeign) : [];
  if (!isObject(named) || foreign.length === 0) return kept;
  foreign.forEach(lose);
  const rest = Object.entries(named).filter(([key]) => !foreign.includes(key));
  return { ...kept, patternProperties: Object.fromEntries(rest) };
}

function isForeign(pattern: Json | undefined): boolean {
  return typeof pattern === 'string' && !isPlainPattern(pattern);
}
