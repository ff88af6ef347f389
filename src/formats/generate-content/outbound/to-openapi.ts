/**
 * JSON Schema as the older OpenAPI 3.0 subset of it, which Gemini's `parameters` and `responseSchema` take (REST
 * reference, `Schema`): one unknown keyword there refuses the whole request. Only the places where a schema may stand
 * are walked, so that a property named `title` or `$ref` is left alone.
 */

import { referred } from '../../../conversation/rules/json-pointer.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asList, asNumber, asObject, asText, isEmpty, isObject } from '../../../lib/json.ts';

/** Deeper than any schema a vendor takes. */
const MAX_DEPTH = 100;
/** More places than any schema a vendor takes: `$ref`s that name each other multiply when they are written out. */
const MAX_NODES = 20_000;

/** Keywords the subset has, whose values are no schemas. */
const PLAIN: readonly string[] = [
  'title',
  'description',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'pattern',
  'example',
  'default',
  'propertyOrdering',
];

/** Formats the subset takes; any other refuses the request. */
const FORMATS: readonly string[] = ['enum', 'date-time', 'float', 'double', 'int32', 'int64'];

/** Keywords that the subset says in another way: they are not lost. */
const SAID_OTHERWISE: readonly string[] = [
  ...PLAIN,
  'type',
  'nullable',
  'enum',
  'const',
  'properties',
  'required',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  '$defs',
  'definitions',
  '$schema',
  '$id',
  '$comment',
];

interface Walk {
  readonly root: JsonObject;
  readonly lost: Set<string>;
  nodes: number;
}

/**
 * JSON Schema in the OpenAPI subset: `$ref`s written out, `oneOf` and type lists as `anyOf`, `null` as `nullable`,
 * `const` as an `enum` of one, exclusive bounds as bounds.
 * @param lost gets the names of the keywords that could not be said.
 * @throws GatewayError `invalid-request` for a schema beyond all reason.
 */
export function toOpenApi(schema: JsonObject, lost: Set<string>): JsonObject {
  return shrink(schema, { root: schema, lost, nodes: 0 }, [], 0);
}

function shrink(value: Json | undefined, walk: Walk, refs: readonly string[], depth: number): JsonObject {
  walk.nodes++;
  if (depth > MAX_DEPTH || walk.nodes > MAX_NODES) throw invalid('The JSON schema is too large.');
  if (!isObject(value)) return {};
  const ref = asText(value['$ref']);
  if (ref !== undefined) return followRef(value, ref, walk, refs, depth);
  const inner = (schema: Json): JsonObject => shrink(schema, walk, refs, depth + 1);
  const parts = asList(value['allOf']);
  if (parts.length > 0) {
    const { allOf: _, ...rest } = value;
    return [...parts.map(inner), inner(rest)].reduce(mergeSchemas, {});
  }
  for (const key of Object.keys(value)) {
    if (!SAID_OTHERWISE.includes(key) && !/^(?:format|prefixItems|exclusiveM)/.test(key)) walk.lost.add(key);
  }
  return {
    ...plainKeywords(value, walk),
    ...typeOf(value, walk),
    ...choiceOf(value, inner),
    ...objectKeywords(value, inner),
    ...itemsOf(value, inner),
  };
}

function followRef(
  schema: JsonObject,
  ref: string,
  walk: Walk,
  refs: readonly string[],
  depth: number,
): JsonObject {
  const { $ref: _, $defs: _defs, definitions: _definitions, ...beside } = schema;
  const siblings = shrink(beside, walk, refs, depth + 1);
  const target = referred(ref, walk.root);
  // A schema that holds itself has no end when written out: where it comes round, any object is let through.
  if (target === undefined || refs.includes(ref)) {
    walk.lost.add('$ref');
    return { type: 'object', ...siblings };
  }
  return mergeSchemas(shrink(target, walk, [...refs, ref], depth + 1), siblings);
}

function plainKeywords(schema: JsonObject, walk: Walk): JsonObject {
  const kept: Record<string, Json> = {};
  for (const key of PLAIN) {
    const value = schema[key];
    if (value !== undefined) kept[key] = value;
  }
  const minimum = asNumber(schema['exclusiveMinimum']);
  const maximum = asNumber(schema['exclusiveMaximum']);
  if (minimum !== undefined) kept['minimum'] ??= minimum;
  if (maximum !== undefined) kept['maximum'] ??= maximum;
  const format = asText(schema['format']);
  if (format !== undefined && FORMATS.includes(format)) kept['format'] = format;
  else if (format !== undefined) walk.lost.add('format');
  return kept;
}

/** `type`, `nullable` and `enum`. The subset's enums are lists of strings: of others, only the description can tell. */
function typeOf(schema: JsonObject, walk: Walk): JsonObject {
  const listed = [schema['type'] ?? []].flat().filter((type) => typeof type === 'string');
  const types = listed.filter((type) => type !== 'null');
  const values = 'const' in schema ? [schema['const'] ?? null] : asList(schema['enum']);
  const choices = values.filter((value) => value !== null);
  const nullable =
    schema['nullable'] === true || types.length < listed.length || choices.length < values.length;
  const texts = choices.filter((value) => typeof value === 'string');
  const guessed = texts.length > 0 ? 'string' : typeof choices[0] === 'number' ? 'number' : undefined;
  const type = types.length === 1 ? types[0] : types.length === 0 ? guessed : undefined;
  const hint = texts.length < choices.length ? `One of: ${choices.map(asWord).join(', ')}.` : undefined;
  if (hint !== undefined) walk.lost.add('enum');
  const description = [asText(schema['description']), hint].filter((text) => text).join(' ');
  return {
    ...(type !== undefined && { type }),
    ...(types.length > 1 && { anyOf: types.map((each) => ({ type: each })) }),
    ...(nullable && { nullable: true }),
    ...(hint === undefined && texts.length > 0 && { enum: texts }),
    ...(description !== '' && { description }),
  };
}

function asWord(value: Json): string {
  return JSON.stringify(value);
}

function choiceOf(schema: JsonObject, inner: (schema: Json) => JsonObject): JsonObject {
  const listed = [...asList(schema['anyOf']), ...asList(schema['oneOf'])];
  if (listed.length === 0) return {};
  const some = listed.filter((each) => asObject(each)?.['type'] !== 'null').map(inner);
  const nullable = some.length < listed.length && { nullable: true };
  return some.length === 1 ? { ...some[0], ...nullable } : { anyOf: some, ...nullable };
}

function objectKeywords(schema: JsonObject, inner: (schema: Json) => JsonObject): JsonObject {
  const properties = asObject(schema['properties']);
  // An object that lists no property is refused; one that says nothing of properties is not.
  if (properties === undefined || isEmpty(properties)) return {};
  const required = asList(schema['required']).filter(
    (name) => typeof name === 'string' && Object.hasOwn(properties, name),
  );
  return {
    ...(schema['type'] === undefined && { type: 'object' }),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, inner(value ?? {})]),
    ),
    ...(required.length > 0 && { required }),
  };
}

function itemsOf(schema: JsonObject, inner: (schema: Json) => JsonObject): JsonObject {
  const tuple = [...asList(schema['prefixItems']), ...asList(schema['items'])];
  if (tuple.length > 0)
    return { items: tuple.length === 1 ? inner(tuple[0] ?? {}) : { anyOf: tuple.map(inner) } };
  const items = schema['items'];
  // `items` is required where the type is array.
  if (items === undefined) return schema['type'] === 'array' ? { items: {} } : {};
  return { items: inner(items) };
}

/** Both at once: what `allOf`, and keywords beside a `$ref`, mean. */
function mergeSchemas(first: JsonObject, second: JsonObject): JsonObject {
  const properties = { ...asObject(first['properties']), ...asObject(second['properties']) };
  const required = new Set([...asList(first['required']), ...asList(second['required'])]);
  return {
    ...first,
    ...second,
    ...(!isEmpty(properties) && { properties }),
    ...(required.size > 0 && { required: [...required] }),
  };
}
