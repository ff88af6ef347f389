/**
 * What OpenAI and compatible services require of a function's parameters beyond JSON Schema. Callers pass on what MCP
 * servers write, and that often leaves it out. A root without `type` or `properties`, and an array without `items`
 * anywhere ("array schema missing items"), are 400s; filled in, they mean the same as before. A pattern that these
 * services cannot read is a 400 too, and Claude Code's own tools and every `z.email()` have one. It is left out, since
 * the tool is worth more than its pattern.
 */

import { asList, asObject, isObject, type Json, type JsonObject, withoutFields } from '../../lib/json.ts';
import { isPlainPattern } from './patterns.ts';
import { inNewestDraft } from './schema-draft.ts';
import { rewriteSchema } from './schema-places.ts';

/**
 * The schema with everything that these services require; itself if nothing was missing.
 * @param lose receives each pattern that is left out.
 */
export function wholeParameters(schema: JsonObject, lose: (pattern: string) => void): JsonObject {
  const step = (one: JsonObject): JsonObject => withItems(readable(inNewestDraft(one), lose));
  const filled = rewriteSchema(objectRoot(schema), step);
  return isObject(filled['properties']) ? filled : { ...filled, properties: {} };
}

/**
 * The schema in the words of the newest draft, without patterns that some service cannot read; itself if nothing had to
 * change.
 * @param lose receives each pattern that is left out.
 */
export function readableSchema(schema: JsonObject, lose: (pattern: string) => void): JsonObject {
  return rewriteSchema(schema, (one) => readable(inNewestDraft(one), lose));
}

/** The schema and all schemas in it in the words of the newest draft; itself if nothing had to change. */
export function newestSchema(schema: JsonObject): JsonObject {
  return rewriteSchema(schema, inNewestDraft);
}

/**
 * The schema, in which a property with the name `properties` has no boolean `additionalProperties`, for a service that
 * takes that name for the keyword; itself if it has no such property.
 */
export function withoutClosedProperties(schema: JsonObject): JsonObject {
  return rewriteSchema(schema, opened);
}

function opened(schema: JsonObject): JsonObject {
  const named = asObject(schema['properties']);
  if (!isObject(named?.['properties'])) return schema;
  const { additionalProperties, ...rest } = named['properties'];
  return typeof additionalProperties === 'boolean'
    ? { ...schema, properties: { ...named, properties: rest } }
    : schema;
}

/**
 * The schema with the type `object`, which arguments always have; itself if it has that type. Services refuse a root
 * without a type (DeepSeek: "schema must be a JSON Schema of 'type: "object"', got 'type: null'"), as unions have.
 */
export function objectRoot(schema: JsonObject): JsonObject {
  if (schema['type'] === 'object') return schema;
  const { type: _, ...rest } = schema;
  return { type: 'object', ...rest };
}

function withItems(schema: JsonObject): JsonObject {
  const { type, items } = schema;
  const isArray = type === 'array' || asList(type).includes('array');
  return isArray && items === undefined ? { ...schema, items: {} } : schema;
}

/** The schema without those of its own patterns that some service cannot read; itself if it has none. */
function readable(schema: JsonObject, lose: (pattern: string) => void): JsonObject {
  const { pattern, patternProperties: named } = schema;
  let kept = schema;
  if (typeof pattern === 'string' && isForeign(pattern)) {
    lose(pattern);
    kept = withoutFields(schema, ['pattern']);
  }
  const foreign = isObject(named) ? Object.keys(named).filter(isForeign) : [];
  if (!isObject(named) || foreign.length === 0) return kept;
  foreign.forEach(lose);
  const rest = Object.entries(named).filter(([key]) => !foreign.includes(key));
  return { ...kept, patternProperties: Object.fromEntries(rest) };
}

function isForeign(pattern: Json | undefined): boolean {
  return typeof pattern === 'string' && !isPlainPattern(pattern);
}
