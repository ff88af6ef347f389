/**
 * Schemas as Moonshot takes them. It checks the schema of every tool by its own rules, those of the level `strict` of its
 * validator (github.com/MoonshotAI/walle), and refuses the whole request for one schema that breaks them
 * ("tools.function.parameters is not a valid moonshot flavored json schema"). It ignores keywords that it does not know.
 */

import { parsePointer, resolveReference } from '../../../conversation/rules/json-pointer.ts';
import { ALL_PLACES, mapSchemas } from '../../../conversation/rules/schema-places.ts';
import { invalid } from '../../../lib/errors.ts';
import { asList, asObject, asText, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { NOTES, OBJECT_KEYWORDS, pick, withOneType, withSimpleUnion } from './moonshot-types.ts';

/** The deepest schema that Moonshot takes. */
const MAX_DEPTH = 100;
/** More places than any real schema has. Definitions may be nested, and each is written out. */
const MAX_NODES = 20_000;

const RESERVED = ['$defs', '$ref', 'anyOf', 'required', 'additionalProperties'];

/** Keywords in whose schemas Moonshot takes references. */
const REFERRING = ['properties', 'items', 'additionalProperties', 'anyOf', 'allOf', 'prefixItems'];

interface Rewriting {
  readonly root: JsonObject;
  /** The names of the definitions that the schema refers to; undefined for one that Moonshot refuses. */
  readonly names: Map<JsonObject, string | undefined>;
  readonly taken: Set<string>;
  /** The number of schemas rewritten so far. */
  nodes: number;
}

/**
 * A schema rewritten to Moonshot's rules. Parts that it has no words for are left out.
 * @throws GatewayError `invalid-request` if the result would be too large.
 */
export function moonshotSchema(schema: JsonObject): JsonObject {
  const rewriting: Rewriting = { root: schema, names: new Map(), taken: new Set(), nodes: 0 };
  const { $ref, ...rest } = schema;
  const referredObject = pick(resolveReference(asText($ref) ?? '', schema) ?? {}, [
    ...NOTES,
    ...OBJECT_KEYWORDS,
  ]);
  const rewritten = rewrite({ ...rest, ...referredObject }, rewriting, 0);
  const definitions: [string, JsonObject][] = [];
  // Rewriting a definition may add further ones, which this loop then reaches.
  for (const [definition, name] of rewriting.names) {
    if (name !== undefined) definitions.push([name, rewrite(definition, rewriting, 0)]);
  }
  return definitions.length === 0 ? rewritten : { ...rewritten, $defs: Object.fromEntries(definitions) };
}

function rewrite(given: JsonObject, rewriting: Rewriting, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return {};
  rewriting.nodes += 1;
  if (rewriting.nodes > MAX_NODES) throw invalid('The JSON schema is too large.');
  const { $ref, ...schema } = withSingleAllOf(given);
  const reference = referenceTo($ref, rewriting);
  // Moonshot takes only notes beside a reference.
  if (reference !== undefined) return { ...withMembers(pick(schema, NOTES)), $ref: reference };
  const inner = (one: JsonObject): JsonObject => rewrite(one, rewriting, depth + 1);
  const {
    $defs: _,
    definitions: _d,
    ...plain
  } = withMembers(withSimpleUnion(withOneType(schema), rewriting.root));
  const entries = Object.entries(plain).flatMap(([key, value = null]): [string, Json][] => {
    if (REFERRING.includes(key)) return [[key, mapSchemas(key, value, ALL_PLACES, inner)]];
    return hasReference(value) ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** The schema with an `allOf` of one schema merged into it. */
function withSingleAllOf(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  const [only, ...more] = asList(allOf);
  return isObject(only) && more.length === 0 ? { ...only, ...rest } : schema;
}

/** The schema with only objects as properties, and only existing properties required. Refused properties are described. */
function withMembers(schema: JsonObject): JsonObject {
  const { properties, required, items, additionalProperties: more, description, ...rest } = schema;
  const given = Object.entries(asObject(properties) ?? {});
  const known = given.filter(([name]) => !RESERVED.includes(name));
  const members = new Set<Json>(known.map(([name]) => name));
  const names = asList(required).filter((name) => members.has(name));
  const refused = given.filter(([name]) => RESERVED.includes(name));
  const note = refused.length > 0 && `Further properties: ${JSON.stringify(Object.fromEntries(refused))}`;
  const text = [asText(description), note].filter(Boolean).join('\n\n');
  const isOpen = typeof more === 'boolean' && refused.length === 0;
  return {
    ...rest,
    ...(text !== '' && { description: text }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(known.map(([name, one = null]) => [name, isObject(one) ? one : {}])),
    }),
    ...(names.length > 0 && { required: names }),
    ...(isObject(items) && { items }),
    ...((isOpen || isObject(more)) && { additionalProperties: more }),
  };
}

/** Whether a value contains a reference, where Moonshot takes none. */
function hasReference(value: Json): boolean {
  return typeof value === 'object' && JSON.stringify(value).includes('"$ref"');
}

/**
 * The reference by the name of its definition: Moonshot takes only `$defs` at the root, each by one plain name.
 * @returns undefined if it points nowhere, or to a definition that Moonshot refuses.
 */
function referenceTo(ref: Json | undefined, { root, names, taken }: Rewriting): string | undefined {
  const reference = asText(ref);
  if (reference === undefined || reference === '#') return reference;
  const definition = resolveReference(reference, root);
  if (definition === undefined) return undefined;
  if (!names.has(definition)) {
    const last = parsePointer(reference)?.at(-1) ?? '';
    names.set(definition, hasSlash(definition, 0) ? undefined : freeName(last, taken));
  }
  const name = names.get(definition);
  return name === undefined ? undefined : `#/$defs/${name}`;
}

function freeName(text: string, taken: Set<string>): string {
  const stem = text.replaceAll(/[^\w.-]/g, '_');
  let name = stem;
  for (let count = taken.size + 1; name === '' || taken.has(name); count += 1) name = `${stem}_${count}`;
  taken.add(name);
  return name;
}

/** Whether any key in a definition contains a slash, which Moonshot refuses. */
function hasSlash(value: Json, depth: number): boolean {
  if (depth > MAX_DEPTH) return true;
  if (isList(value)) return value.some((one) => hasSlash(one, depth + 1));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, one = null]) => key.includes('/') || hasSlash(one, depth + 1));
}
