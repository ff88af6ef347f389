/**
 * JSON Schemas as Anthropic can enforce them (structured outputs guide; the same rewriting as `transformJSONSchema` of its
 * SDK). Every object is closed. Keywords that the vendor refuses, such as most bounds, lengths and patterns, move into the
 * description, where the model reads them.
 */

import { mapSchemas, type SchemaPlaces } from '../../../conversation/rules/schema-places.ts';
import { withoutCycles } from '../../../conversation/rules/without-cycles.ts';
import { flat } from '../../../lib/flat-text.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asList, asObject, isEmpty, isObject } from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';

/** The string formats that Anthropic enforces. */
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'];

/** Keywords that Anthropic refuses, whatever their value ("property 'not' is not supported"). It ignores unknown ones. */
const REFUSED = wordList(`
  minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern maxItems
  uniqueItems contains minContains maxContains minProperties maxProperties propertyNames dependentRequired
  dependentSchemas dependencies unevaluatedProperties if then else not
`);

/** Deeper than any real schema. `JSON.stringify` still handles this depth without trouble. */
const MAX_DEPTH = 200;

/**
 * Closes every object of a schema, and removes the keywords that Anthropic refuses.
 * @returns the schema itself if nothing had to change, or undefined if Anthropic cannot enforce it: for an object with
 *   arbitrary keys, a list whose items differ by position, or a schema that contains itself.
 */
export function closeSchema(schema: JsonObject): JsonObject | undefined {
  return canClose(schema, 0) && withoutCycles(schema) === schema ? closeObjects(schema) : undefined;
}

/** Tells whether the root of a schema is an object, as the input of a tool must be. */
export function isObjectSchema(schema: JsonObject): boolean {
  return schema['type'] === 'object' || (schema['type'] === undefined && isObject(schema['properties']));
}

function mayBeObject(schema: JsonObject): boolean {
  return isObjectSchema(schema) || asList(schema['type']).includes('object');
}

function canClose(schema: JsonObject, depth: number): boolean {
  if (depth > MAX_DEPTH || isObject(schema['patternProperties'])) return false;
  if (schema['prefixItems'] !== undefined) return false;
  const open = schema['additionalProperties'];
  const isFree = mayBeObject(schema) && isEmpty(asObject(schema['properties']) ?? {});
  if (isObject(open) || (isFree && open !== false)) return false;
  return getInnerSchemas(schema).every((inner) => canClose(inner, depth + 1));
}

function closeObjects(schema: JsonObject): JsonObject {
  const kept: [string, Json][] = [];
  const removed: string[] = [];
  let changed = false;
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (isRefused(key, value)) {
      removed.push(`${key}: ${JSON.stringify(value)}`);
      continue;
    }
    const closed = mapSchemas(key, value, PLACES, closeObjects);
    const name = key === 'oneOf' && !schema['anyOf'] ? 'anyOf' : key;
    changed ||= closed !== value || name !== key;
    kept.push([name, closed]);
  }
  const isOpen = mayBeObject(schema) && schema['additionalProperties'] !== false;
  if (!changed && !isOpen && removed.length === 0) return schema;
  const { description, ...rest }: JsonObject = Object.fromEntries(kept);
  const lines = [description, removed.length > 0 ? `{${removed.join(', ')}}` : undefined];
  const text = flat(lines.filter((line) => typeof line === 'string').join('\n\n'));
  return {
    ...rest,
    ...(text !== '' && { description: text }),
    ...(isOpen && { additionalProperties: false }),
  };
}

const PLACES: SchemaPlaces = {
  schemas: ['items'],
  lists: ['anyOf', 'oneOf', 'allOf', 'prefixItems'],
  maps: ['properties', '$defs', 'definitions'],
};

/** Returns the schemas directly inside a schema. */
export function getInnerSchemas(schema: JsonObject): readonly JsonObject[] {
  const maps = PLACES.maps.flatMap((key) => Object.values(asObject(schema[key]) ?? {}));
  const lists = PLACES.lists.flatMap((key) => asList(schema[key]));
  return [...maps, ...lists, schema['items']].filter(isObject);
}

function isRefused(key: string, value: Json): boolean {
  if (REFUSED.includes(key)) return true;
  if (key === 'minItems') return value !== 0 && value !== 1;
  return key === 'format' && !(typeof value === 'string' && FORMATS.includes(value));
}
