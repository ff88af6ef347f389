/**
 * JSON Schemas as Anthropic enforces them (structured outputs guide; the same rewriting as `transformJSONSchema` of its
 * SDK): every object is closed, and of bounds, lengths and patterns it enforces few. What it would refuse is told to the
 * model in the description instead.
 */

import { keysOf } from '../../../conversation/rules/json-pointer.ts';
import { type SchemaPlaces, withSchemas } from '../../../conversation/rules/schema-places.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asList, asObject, asText, isEmpty, isObject } from '../../../lib/json.ts';

/** String formats that are enforced. */
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'];

/** Keywords that are refused, whatever their value ("property 'not' is not supported"); unknown ones are passed over. */
const REFUSED = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'if',
  'then',
  'else',
  'not',
];

/** Deeper than any schema; a JSON text of the same depth is still written without trouble. */
const MAX_DEPTH = 200;
const MAX_DEFINITIONS = 1000;

/**
 * The schema with every object closed and no refused keyword; the schema itself where nothing had to change.
 * @returns undefined where that would change what it allows beyond recognition: an object whose keys are free and a list
 *   whose places differ, which Anthropic cannot enforce, or a schema that holds itself.
 */
export function closedSchema(schema: JsonObject): JsonObject | undefined {
  return canClose(schema, 0) && !isRecursive(schema) ? close(schema) : undefined;
}

/** Whether the root is an object, as the input of a tool must be. */
export function isObjectSchema(schema: JsonObject): boolean {
  return schema['type'] === 'object' || (schema['type'] === undefined && isObject(schema['properties']));
}

function mayBeObject(schema: JsonObject): boolean {
  return isObjectSchema(schema) || asList(schema['type']).includes('object');
}

/** Whether a definition holds itself, by way of others or not; a schema with too many to follow counts as one. */
function isRecursive(schema: JsonObject): boolean {
  const definitions = new Map(
    DEFINITIONS.flatMap((key) => Object.entries(asObject(schema[key]) ?? {})).map(([name, inner]) => [
      name,
      new Set(isObject(inner) ? definitionsIn(inner) : []),
    ]),
  );
  if (definitions.size > MAX_DEFINITIONS) return true;
  const open = new Set<string>();
  const closed = new Set<string>();
  const isLooped = (name: string): boolean => {
    if (open.has(name)) return true;
    if (closed.has(name)) return false;
    open.add(name);
    const looped = [...(definitions.get(name) ?? [])].some(isLooped);
    open.delete(name);
    closed.add(name);
    return looped;
  };
  return [...definitions.keys()].some(isLooped);
}

/** Names of the definitions that a schema refers to. */
function definitionsIn(schema: JsonObject): readonly string[] {
  const [list = '', name] = keysOf(asText(schema['$ref']) ?? '') ?? [];
  const isDefinition = name !== undefined && DEFINITIONS.includes(list);
  return [...(isDefinition ? [name] : []), ...innerSchemas(schema).flatMap(definitionsIn)];
}

function canClose(schema: JsonObject, depth: number): boolean {
  if (depth > MAX_DEPTH || schema['$ref'] === '#' || isObject(schema['patternProperties'])) return false;
  if (schema['prefixItems'] !== undefined) return false;
  const open = schema['additionalProperties'];
  const isFree = mayBeObject(schema) && isEmpty(asObject(schema['properties']) ?? {});
  if (isObject(open) || (isFree && open !== false)) return false;
  return innerSchemas(schema).every((inner) => canClose(inner, depth + 1));
}

function close(schema: JsonObject): JsonObject {
  const kept: [string, Json][] = [];
  const told: string[] = [];
  let changed = false;
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (isRefused(key, value)) {
      told.push(`${key}: ${JSON.stringify(value)}`);
      continue;
    }
    const closed = withSchemas(key, value, PLACES, close);
    const name = key === 'oneOf' && !schema['anyOf'] ? 'anyOf' : key;
    changed ||= closed !== value || name !== key;
    kept.push([name, closed]);
  }
  const isOpen = mayBeObject(schema) && schema['additionalProperties'] !== false;
  if (!changed && !isOpen && told.length === 0) return schema;
  const { description, ...rest }: JsonObject = Object.fromEntries(kept);
  const about = [description, told.length > 0 ? `{${told.join(', ')}}` : undefined];
  const text = about.filter((line) => typeof line === 'string').join('\n\n');
  return {
    ...rest,
    ...(text !== '' && { description: text }),
    ...(isOpen && { additionalProperties: false }),
  };
}

const DEFINITIONS = ['$defs', 'definitions'];
const PLACES: SchemaPlaces = {
  schemas: ['items'],
  lists: ['anyOf', 'oneOf', 'allOf', 'prefixItems'],
  maps: ['properties', ...DEFINITIONS],
};

/** The schemas that stand in a schema, one level down. */
export function innerSchemas(schema: JsonObject): readonly JsonObject[] {
  const maps = PLACES.maps.flatMap((key) => Object.values(asObject(schema[key]) ?? {}));
  const lists = PLACES.lists.flatMap((key) => asList(schema[key]));
  return [...maps, ...lists, schema['items']].filter(isObject);
}

function isRefused(key: string, value: Json): boolean {
  if (REFUSED.includes(key)) return true;
  if (key === 'minItems') return value !== 0 && value !== 1;
  return key === 'format' && !(typeof value === 'string' && FORMATS.includes(value));
}
