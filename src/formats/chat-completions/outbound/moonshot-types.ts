/** Types and unions in Moonshot's schemas: each place has one type, or an `anyOf` of places with one type each. */

import { withoutRootUnion } from '../../../conversation/rules/root-union.ts';
import { asList, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';

/** Keywords that may stand beside anything. */
export const NOTES: readonly string[] = ['description', 'title'];

/** Keywords of the type `object`. */
export const OBJECT_KEYWORDS = wordList(`
  properties required additionalProperties minProperties maxProperties
`);

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];

/** Keywords of one type, which may not stand beside a list of types. */
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  object: OBJECT_KEYWORDS,
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};
const OF_SOME_TYPE: readonly string[] = Object.values(OF_TYPE).flat();

/**
 * The schema with one type, or with a list of types and no keyword that depends on them. Other lists become an `anyOf`,
 * and each value of an `enum` stands under its own type.
 */
export function withOneType({ type, enum: listed, const: only, ...rest }: JsonObject): JsonObject {
  const types = [type, ...asList(type)].filter(isType);
  const values = isList(listed) && listed.length > 0 ? listed : only === undefined ? [] : [only];
  if (values.length > 0) return { ...rest, ...renderEnum(values, types) };
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

/** @param types the schema's own types: a single type stays if all values have it. */
function renderEnum(values: readonly Json[], types: readonly string[]): JsonObject {
  const [only = '', ...more] = types;
  if (more.length === 0 && values.every((value) => hasType(value, only))) return { type: only, enum: values };
  const groups = Map.groupBy(values, inferType);
  const choices = Array.from(groups, ([type, group]): JsonObject => ({ type, enum: group }));
  const [first = {}, ...others] = choices;
  return others.length === 0 ? first : { anyOf: choices };
}

function inferType(value: Json): string {
  if (value === null) return 'null';
  return isList(value) ? 'array' : typeof value;
}

function hasType(value: Json, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : inferType(value) === type;
}

/**
 * The schema with at most one union, an `anyOf`: its alternatives have the types, and only notes stand beside it. An object
 * whose properties are in alternatives becomes one object with all of them, whose description says which belong together.
 * @param root the whole schema, to which references point.
 */
export function withSimpleUnion(schema: JsonObject, root: JsonObject): JsonObject {
  const { anyOf, oneOf, ...rest } = schema;
  const choices = [anyOf, oneOf].map(asList).find((list) => list.length > 0);
  if (choices === undefined || rest['enum'] !== undefined) return rest;
  if (isObject(rest['properties'])) {
    return withoutRootUnion(schema, [], root);
  }
  const { type } = rest;
  // A default may not stand both in an alternative and beside the union.
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

/** The schema with only these keywords. */
export function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)));
}
