/**
 * Schemas as Moonshot takes them. It judges those of all tools by rules of its own, and refuses the whole request for one
 * that breaks them ("tools.function.parameters is not a valid moonshot flavored json schema"): those of the level
 * `strict` of its validator (github.com/MoonshotAI/walle). Keywords beyond its own it passes over.
 */

import { keysOf, referred } from '../../../conversation/rules/json-pointer.ts';
import { withoutRootUnion } from '../../../conversation/rules/root-union.ts';
import { ALL_PLACES, withSchemas } from '../../../conversation/rules/schema-places.ts';
import { invalid } from '../../../lib/errors.ts';
import { asList, asObject, asText, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** Deeper than any schema it takes. */
const MAX_DEPTH = 100;
/** More than any schema has: definitions stand within one another, and each is written out. */
const MAX_NODES = 20_000;

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];

/** What may stand beside anything. */
const NOTES = ['description', 'title'];

const OF_OBJECTS = ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'];

/** Keywords of one type, which may not stand beside a list of types. */
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  object: OF_OBJECTS,
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};
const OF_SOME_TYPE: readonly string[] = Object.values(OF_TYPE).flat();

/** Names that no property may have. */
const RESERVED = ['$defs', '$ref', 'anyOf', 'required', 'additionalProperties'];

/** Keywords in whose schemas it takes a reference. */
const REFERRING = ['properties', 'items', 'additionalProperties', 'anyOf', 'allOf', 'prefixItems'];

interface Within {
  readonly root: JsonObject;
  /** The names of the definitions that are referred to; undefined of one that it would not take. */
  readonly names: Map<JsonObject, string | undefined>;
  readonly taken: Set<string>;
  /** Schemas looked at so far. */
  nodes: number;
}

/**
 * The schema by Moonshot's rules.
 * @throws GatewayError `invalid-request` where it is too large to be written by them.
 */
export function moonshotSchema(schema: JsonObject): JsonObject {
  const within: Within = { root: schema, names: new Map(), taken: new Set(), nodes: 0 };
  const { $ref, ...own } = schema;
  const meant = pick(referred(asText($ref) ?? '', schema) ?? {}, [...NOTES, ...OF_OBJECTS]);
  const flavored = flavor({ ...own, ...meant }, within, 0);
  const definitions: [string, JsonObject][] = [];
  // More may be found on the way: the loop goes on to them.
  for (const [definition, name] of within.names) {
    if (name !== undefined) definitions.push([name, flavor(definition, within, 0)]);
  }
  return definitions.length === 0 ? flavored : { ...flavored, $defs: Object.fromEntries(definitions) };
}

function flavor(given: JsonObject, within: Within, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return {};
  within.nodes += 1;
  if (within.nodes > MAX_NODES) throw invalid('The JSON schema is too large.');
  const { $ref, ...schema } = inlined(given);
  const reference = referenceTo($ref, within);
  // It takes nothing of both the reference and what it refers to.
  if (reference !== undefined) return { ...withMembers(pick(schema, NOTES)), $ref: reference };
  const inner = (one: JsonObject): JsonObject => flavor(one, within, depth + 1);
  const { $defs: _, definitions: _d, ...plain } = withMembers(withoutUnion(typed(schema), within.root));
  const entries = Object.entries(plain).flatMap(([key, value = null]): [string, Json][] => {
    if (REFERRING.includes(key)) return [[key, withSchemas(key, value, ALL_PLACES, inner)]];
    return refersIn(value) ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** The schema with the one it consists of (`allOf`) written out. */
function inlined(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  const [only, ...more] = asList(allOf);
  return isObject(only) && more.length === 0 ? { ...only, ...rest } : schema;
}

/** The schema with one type, or several and nothing else that depends on them; values are of the types they are of. */
function typed({ type, enum: listed, const: only, ...rest }: JsonObject): JsonObject {
  const types = [type, ...asList(type)].filter(isType);
  const values = isList(listed) && listed.length > 0 ? listed : only === undefined ? [] : [only];
  if (values.length > 0) return { ...rest, ...valuesOf(values, types) };
  const [first, ...more] = types;
  if (first === undefined) return rest;
  if (more.length === 0) return { ...rest, type: first };
  if (Object.keys(rest).every((key) => NOTES.includes(key))) return { ...rest, type: types };
  if (rest['anyOf'] !== undefined || rest['oneOf'] !== undefined) return rest;
  const beside = Object.entries(rest).filter(([key]) => !OF_SOME_TYPE.includes(key));
  return {
    ...Object.fromEntries(beside),
    anyOf: types.map((name) => ({ type: name, ...pick(rest, OF_TYPE[name] ?? []) })),
  };
}

function isType(name: Json | undefined): name is string {
  return typeof name === 'string' && TYPES.includes(name);
}

/** @param types those that were said: where all values are of the only one, it is the one. */
function valuesOf(values: readonly Json[], types: readonly string[]): JsonObject {
  const [only = '', ...more] = types;
  if (more.length === 0 && values.every((value) => isOf(value, only))) return { type: only, enum: values };
  const groups = Map.groupBy(values, typeOf);
  const choices = Array.from(groups, ([type, group]): JsonObject => ({ type, enum: group }));
  const [first = {}, ...others] = choices;
  return others.length === 0 ? first : { anyOf: choices };
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return isList(value) ? 'array' : typeof value;
}

function isOf(value: Json, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
}

/**
 * The schema with at most an `anyOf`, whose choices have the types, and nothing but notes beside it. An object with
 * choices among its properties is one with all of them, and told which belong together.
 */
function withoutUnion(schema: JsonObject, root: JsonObject): JsonObject {
  const { anyOf, oneOf, ...rest } = schema;
  const choices = [anyOf, oneOf].map(asList).find((list) => list.length > 0);
  if (choices === undefined || rest['enum'] !== undefined) return rest;
  if (isObject(rest['properties'])) {
    return withoutRootUnion(schema, [], root);
  }
  const { type } = rest;
  // What a choice says too may not stand beside it.
  const beside = JSON.stringify(choices).includes('"default"') ? NOTES : [...NOTES, 'default'];
  return {
    ...pick(rest, beside),
    anyOf: choices.map((one) => (isObject(one) ? withType(one, type) : {})),
  };
}

function withType(choice: JsonObject, type: Json | undefined): JsonObject {
  const says = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'].some(
    (key) => choice[key] !== undefined,
  );
  return says || type === undefined ? choice : { type, ...choice };
}

/** The schema with members that are schemas, and none required that it does not have. */
function withMembers(schema: JsonObject): JsonObject {
  const { properties, required, items, additionalProperties: more, description, ...rest } = schema;
  const given = Object.entries(asObject(properties) ?? {});
  const known = given.filter(([name]) => !RESERVED.includes(name));
  const members = new Set<Json>(known.map(([name]) => name));
  const names = asList(required).filter((name) => members.has(name));
  const unsaid = given.filter(([name]) => RESERVED.includes(name));
  const about = unsaid.length > 0 && `Further properties: ${JSON.stringify(Object.fromEntries(unsaid))}`;
  const text = [asText(description), about].filter(Boolean).join('\n\n');
  const isOpen = typeof more === 'boolean' && unsaid.length === 0;
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

/** The reference by a name of a definition; undefined where there is nothing to refer to. */
function referenceTo(ref: Json | undefined, within: Within): string | undefined {
  const reference = asText(ref);
  if (reference === undefined || reference === '#') return reference;
  const definition = referred(reference, within.root);
  if (definition === undefined) return undefined;
  if (!within.names.has(definition)) {
    const last = keysOf(reference)?.at(-1) ?? '';
    within.names.set(definition, hasSlash(definition, 0) ? undefined : freeName(last, within.taken));
  }
  const name = within.names.get(definition);
  return name === undefined ? undefined : `#/$defs/${name}`;
}

function freeName(text: string, taken: Set<string>): string {
  const stem = text.replaceAll(/[^\w.-]/g, '_');
  let name = stem;
  for (let count = taken.size + 1; name === '' || taken.has(name); count += 1) name = `${stem}_${count}`;
  taken.add(name);
  return name;
}

/** Whether a key anywhere in a definition has a slash, which it may not. */
function hasSlash(value: Json, depth: number): boolean {
  if (depth > MAX_DEPTH) return true;
  if (isList(value)) return value.some((one) => hasSlash(one, depth + 1));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, one = null]) => key.includes('/') || hasSlash(one, depth + 1));
}

/** Whether a reference stands in a value where it takes none. */
function refersIn(value: Json): boolean {
  return typeof value === 'object' && JSON.stringify(value).includes('"$ref"');
}

function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)));
}
