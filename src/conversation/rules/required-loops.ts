/**
 * Schemas that hold themselves by way of required properties, such as the filter of a query: `and` requires two filters.
 * Gemini refuses them ("ref loops are only supported if they include optional or nullable property values, or a
 * potentially-zero-length array items, but a ref loop of required fields was found", juspay/juspay-mcp#132), although
 * a union gives them an end. The properties that close such a loop become optional.
 */

import {
  asList,
  asNumber,
  asObject,
  asText,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../lib/json.ts';
import { resolveReference } from './json-pointer.ts';
import { rewriteSchema } from './schema-places.ts';

/** More steps, and deeper, than the schemas take that a vendor takes. Loops beyond them stay. */
const MAX_STEPS = 50_000;
const MAX_DEPTH = 500;

/** The properties of a schema that are optional now, by the schema that requires them. */
type Optional = Map<JsonObject, Set<string>>;

interface Search {
  readonly root: JsonObject;
  readonly optional: Optional;
  readonly visited: Set<JsonObject>;
  steps: number;
}

/** The schema, in which no loop of references has required properties alone; itself if it has no such loop. */
export function withoutRequiredLoops(schema: JsonObject): JsonObject {
  if (!hasReference(schema, 0)) return schema;
  const search: Search = { root: schema, optional: new Map(), visited: new Set(), steps: 0 };
  visit(schema, search, 0);
  const { optional } = search;
  if (optional.size === 0) return schema;
  return rewriteSchema(schema, (one) => {
    const names = optional.get(one);
    return names === undefined ? one : { ...one, required: without(one, names) };
  });
}

function without({ required }: JsonObject, names: ReadonlySet<string>) {
  return asList(required).filter((name) => typeof name !== 'string' || !names.has(name));
}

/** Whether a reference is anywhere in a value. Most schemas have none. */
function hasReference(value: Json | undefined, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  if (isList(value)) return value.some((each) => hasReference(each, depth + 1));
  for (const key in value) {
    const inner = value[key];
    if ((key === '$ref' && typeof inner === 'string') || hasReference(inner, depth + 1)) return true;
  }
  return false;
}

/** Visits what a schema holds before the schema itself, so that a loop is opened where it closes. */
function visit(schema: JsonObject, search: Search, depth: number): void {
  if (search.visited.has(schema) || depth > MAX_DEPTH) return;
  search.visited.add(schema);
  for (const inner of innerSchemas(schema, search)) visit(inner, search, depth + 1);
  if (isNullable(schema)) return;
  for (const [name, value] of requiredProperties(schema, search)) {
    if (!leadsTo(value, schema, search)) continue;
    const names = search.optional.get(schema) ?? new Set();
    search.optional.set(schema, names.add(name));
  }
}

/** Whether a value of `from` has to hold one of `target`, but for the other choices of a union. */
function leadsTo(from: JsonObject, target: JsonObject, search: Search): boolean {
  const seen = new Set<JsonObject>();
  const waiting = [from];
  for (let at = waiting.pop(); at !== undefined && search.steps < MAX_STEPS; at = waiting.pop()) {
    if (at === target) return true;
    if (seen.has(at) || isNullable(at)) continue;
    seen.add(at);
    const next = directSchemas(at, search);
    search.steps += 1 + next.length;
    waiting.push(...next);
  }
  return false;
}

/** The schemas that a value of a schema matches or holds, but for what it may leave out. */
function directSchemas(schema: JsonObject, search: Search): readonly JsonObject[] {
  const { items, minItems, allOf, anyOf, oneOf } = schema;
  return [
    ...referred(schema, search),
    ...[...asList(allOf), ...asList(anyOf), ...asList(oneOf)].filter(isObject),
    ...((asNumber(minItems) ?? 0) > 0 && isObject(items) ? [items] : []),
    ...requiredProperties(schema, search).map(([, value]) => value),
  ];
}

function requiredProperties(schema: JsonObject, { optional }: Search): readonly [string, JsonObject][] {
  const properties = asObject(schema['properties']);
  if (properties === undefined) return [];
  return asList(schema['required']).flatMap((name) => {
    if (typeof name !== 'string' || optional.get(schema)?.has(name)) return [];
    const value = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(value) ? [[name, value] satisfies [string, JsonObject]] : [];
  });
}

function referred(schema: JsonObject, { root }: Search): readonly JsonObject[] {
  const target = resolveReference(asText(schema['$ref']) ?? '', root);
  return target === undefined ? [] : [target];
}

function isNullable({ type, anyOf, oneOf }: JsonObject): boolean {
  return (
    asList(type).includes('null') ||
    [...asList(anyOf), ...asList(oneOf)].some((choice) => isObject(choice) && choice['type'] === 'null')
  );
}

/** The schemas in a schema, and the one that it refers to. */
function innerSchemas(schema: JsonObject, search: Search): readonly JsonObject[] {
  const { items, additionalProperties, properties, $defs, definitions, allOf, anyOf, oneOf } = schema;
  return [
    ...referred(schema, search),
    ...[...asList(allOf), ...asList(anyOf), ...asList(oneOf), items, additionalProperties].filter(isObject),
    ...[properties, $defs, definitions].flatMap((map) => Object.values(asObject(map) ?? {}).filter(isObject)),
  ];
}
