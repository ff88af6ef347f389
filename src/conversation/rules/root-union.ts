/**
 * A union at the root of a tool's schema. It is a 400 for the whole request at Anthropic ("input_schema does not
 * support oneOf, allOf, or anyOf at the top level") and at OpenAI ("schema must have type 'object' and not have
 * 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level"); OpenAI's responses accepts it from GPT-5 on, and
 * Codex's own tools have one. Its branches become one object with the properties of all of them, and the description
 * tells the model which ones belong together.
 */

import { asList, asObject, asText, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { resolveReference } from './json-pointer.ts';

/** No hand-written schema nests unions deeper. */
const MAX_DEPTH = 10;

interface Within {
  readonly root: JsonObject;
  readonly seen: Set<JsonObject>;
}

type Union = 'allOf' | 'anyOf' | 'oneOf';
const UNIONS: readonly Union[] = ['allOf', 'anyOf', 'oneOf'];

/**
 * The schema without a union at its root; itself if there is none.
 * @param refused further keywords that may not be at the root. They appear in the description only.
 * @param root the document in which `$ref` is looked up, if that is not the schema itself.
 */
export function withoutRootUnion(
  schema: JsonObject,
  refused: readonly string[] = [],
  root = schema,
): JsonObject {
  const hasKey = (key: string): boolean => schema[key] !== undefined;
  if (!UNIONS.some(hasKey) && !refused.some(hasKey)) return schema;
  const told = [...UNIONS, ...refused]
    .filter((key) => key !== 'allOf' && schema[key] !== undefined)
    .map((key) => `${key}: ${JSON.stringify(schema[key])}`);
  const merged = without(merge(schema, { root, seen: new Set([schema]) }, 0), refused);
  if (told.length === 0) return merged;
  const about = [asText(merged['description']), `{${told.join(', ')}}`].filter(Boolean).join('\n\n');
  return { ...merged, description: about };
}

function without(schema: JsonObject, keys: readonly string[]): JsonObject {
  if (!keys.some((key) => schema[key] !== undefined)) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

/**
 * The schema with the branches of its unions merged.
 * @param within the document, and the definitions that were written out already. Each is written out once, since one
 *   that holds itself has no end.
 */
function merge(schema: JsonObject, within: Within, depth: number): JsonObject {
  let merged = schema;
  for (const key of UNIONS) {
    if (merged[key] === undefined) continue;
    const { [key]: union, ...rest } = merged;
    const branches = asList(union).flatMap((branch) => expandBranch(branch, within, depth + 1));
    merged = join(rest, branches, key === 'allOf');
  }
  return merged;
}

/** A branch without references and unions of its own; empty if it is not the schema of an object. */
function expandBranch(branch: Json, within: Within, depth: number): readonly JsonObject[] {
  if (!isObject(branch) || depth > MAX_DEPTH) return [];
  const reference = asText(branch['$ref']);
  if (reference !== undefined) return expandDefinition(reference, within, depth);
  const { type } = branch;
  if (type !== undefined && type !== 'object' && !asList(type).includes('object')) return [];
  return [merge(branch, within, depth)];
}

function expandDefinition(reference: string, within: Within, depth: number): readonly JsonObject[] {
  const definition = resolveReference(reference, within.root);
  if (definition === undefined || within.seen.has(definition)) return [];
  within.seen.add(definition);
  return expandBranch(definition, within, depth + 1);
}

/** One object for all branches. @param all whether every branch holds (`allOf`), or only one. */
function join(base: JsonObject, branches: readonly JsonObject[], all: boolean): JsonObject {
  const lists = branches.map((branch) => asList(branch['required']));
  const [first = [], ...others] = lists;
  const sets = others.map((names) => new Set(names));
  const common = all ? lists.flat() : first.filter((name) => sets.every((names) => names.has(name)));
  const required = [...new Set([...asList(base['required']), ...common])];
  const isClosed = !all && branches.length > 0 && branches.every(isClosedObject);
  return {
    ...base,
    properties: { ...joinedProperties(branches, all), ...asObject(base['properties']) },
    ...(required.length > 0 && { required }),
    ...(isClosed && base['additionalProperties'] === undefined && { additionalProperties: false }),
  };
}

function isClosedObject(branch: JsonObject): boolean {
  return branch['additionalProperties'] === false;
}

/** The properties of all branches, each with all schemas that the branches have for it. */
function joinedProperties(branches: readonly JsonObject[], all: boolean): JsonObject {
  const said = new Map<string, Map<string, Json>>();
  for (const branch of branches) {
    for (const [name, schema = true] of Object.entries(asObject(branch['properties']) ?? {})) {
      const schemas = said.get(name) ?? new Map<string, Json>();
      said.set(name, schemas.set(JSON.stringify(schema), schema));
    }
  }
  return Object.fromEntries(
    Array.from(said, ([name, schemas]) => {
      const [only = true, ...more] = schemas.values();
      return [name, more.length === 0 ? only : { [all ? 'allOf' : 'anyOf']: [only, ...more] }];
    }),
  );
}
