/**
 * Schemas that hold themselves by way of required properties, such as the filter of a query: `and` requires two filters.
 * Gemini refuses them ("ref loops are only supported if they include optional or nullable property values, or a
 * potentially-zero-length array items, but a ref loop of required fields was found", juspay/juspay-mcp#132), although
 * a union gives them an end. The properties that close such a loop become optional.
 */

import { asList, asNumber, asObject, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { resolveReference } from './json-pointer.ts';
import { hasReference, rewriteSchema } from './schema-places.ts';

/** More than the schemas have that a vendor takes. Loops beyond stay. */
const MAX_STEPS = 20_000;
const MAX_DEPTH = 500;

/** The schema, in which no loop of references has required properties alone; itself if it has no such loop. */
export function withoutRequiredLoops(schema: JsonObject): JsonObject {
  if (!hasReference(schema)) return schema;
  const closing = new LoopSearch(schema).closingProperties();
  if (closing.size === 0) return schema;
  return rewriteSchema(schema, (one) => {
    const names = closing.get(one);
    return names === undefined ? one : { ...one, required: without(one, names) };
  });
}

function without({ required }: JsonObject, names: ReadonlySet<string>): readonly Json[] {
  return asList(required).filter((name) => typeof name !== 'string' || !names.has(name));
}

/**
 * Goes depth first from schema to schema by required properties. A property that leads back to a schema on the way
 * closes a loop, and each loop has such a property.
 */
class LoopSearch {
  readonly #root: JsonObject;
  readonly #closing = new Map<JsonObject, Set<string>>();
  /** Schemas on the way to the present one, and those from which the search has returned. */
  readonly #states = new Map<JsonObject, 'open' | 'done'>();
  readonly #held = new Map<JsonObject, ReadonlySet<JsonObject>>();
  #steps = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** The names of the properties that close loops, by the schema that requires them. */
  closingProperties(): ReadonlyMap<JsonObject, ReadonlySet<string>> {
    // The root comes first, so a definition is opened where it refers to itself, not where it is used.
    const all = new Set([this.#root]);
    for (const schema of all) {
      this.#visit(schema, 0);
      for (const inner of innerSchemas(schema)) all.add(inner);
    }
    return this.#closing;
  }

  #visit(schema: JsonObject, depth: number): void {
    if (this.#states.has(schema) || depth > MAX_DEPTH) return;
    this.#states.set(schema, 'open');
    for (const [name, value] of requiredProperties(schema)) {
      for (const held of this.#findHeld(value)) {
        if (++this.#steps > MAX_STEPS) return;
        if (this.#states.get(held) === 'open') this.#close(schema, name);
        else this.#visit(held, depth + 1);
      }
    }
    this.#states.set(schema, 'done');
  }

  #close(schema: JsonObject, name: string): void {
    const names = this.#closing.get(schema);
    if (names === undefined) this.#closing.set(schema, new Set([name]));
    else names.add(name);
  }

  /** The schemas that a value of a schema has to match or hold, but for its properties, and for the choices of a union. */
  #findHeld(schema: JsonObject): ReadonlySet<JsonObject> {
    const known = this.#held.get(schema);
    if (known !== undefined) return known;
    const held = new Set(isNullable(schema) ? [] : [schema]);
    for (const each of held) {
      for (const inner of this.#directSchemas(each)) {
        if (++this.#steps > MAX_STEPS) return held;
        if (!isNullable(inner)) held.add(inner);
      }
    }
    this.#held.set(schema, held);
    return held;
  }

  #directSchemas({ $ref, items, minItems, allOf, anyOf, oneOf }: JsonObject): readonly JsonObject[] {
    const referred = typeof $ref === 'string' ? resolveReference($ref, this.#root) : undefined;
    return [
      ...(referred === undefined ? [] : [referred]),
      ...[...asList(allOf), ...asList(anyOf), ...asList(oneOf)].filter(isObject),
      ...((asNumber(minItems) ?? 0) > 0 && isObject(items) ? [items] : []),
    ];
  }
}

/** The properties that a value of a schema has to have, each with its schema; none if the value may be null. */
function requiredProperties(schema: JsonObject): readonly (readonly [string, JsonObject])[] {
  const properties = asObject(schema['properties']);
  if (properties === undefined || isNullable(schema)) return [];
  return asList(schema['required']).flatMap((name) => {
    const value = typeof name === 'string' && Object.hasOwn(properties, name) ? properties[name] : undefined;
    return typeof name === 'string' && isObject(value) ? [[name, value] as const] : [];
  });
}

function isNullable({ type, anyOf, oneOf }: JsonObject): boolean {
  return (
    asList(type).includes('null') ||
    [...asList(anyOf), ...asList(oneOf)].some((choice) => isObject(choice) && choice['type'] === 'null')
  );
}

function innerSchemas({ items, additionalProperties, ...schema }: JsonObject): readonly JsonObject[] {
  const lists = [schema['allOf'], schema['anyOf'], schema['oneOf'], schema['prefixItems']];
  const maps = [schema['properties'], schema['$defs'], schema['definitions']];
  return [
    ...[items, additionalProperties, ...lists.flatMap(asList)].filter(isObject),
    ...maps.flatMap((map) => Object.values(asObject(map) ?? {}).filter(isObject)),
  ];
}
