/**
 * JSON Schema as the OpenAPI 3.0 subset that Gemini's older fields `parameters` and `responseSchema` take (REST
 * reference, `Schema`). One unknown keyword there makes the vendor refuse the whole request. Only the places where a
 * schema may stand are walked, so a property named `title` or `$ref` stays as it is.
 */

import { resolveReference } from '../../../conversation/rules/json-pointer.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asList, asObject, asText, isEmpty, isObject } from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';
import { PLAIN, plainKeywords, renderType } from './openapi-keywords.ts';

/** Deeper than any schema that a vendor takes. */
const MAX_DEPTH = 100;
/** More schemas than a vendor takes: `$ref`s that name each other multiply when they are written out. */
const MAX_NODES = 20_000;

/** Keywords that the subset has, or says in another way: they are not lost. */
const EXPRESSIBLE = [
  ...PLAIN,
  ...wordList(`
    type nullable enum const properties required items anyOf oneOf allOf $ref $defs definitions $schema $id
    $comment
  `),
];

interface Walk {
  readonly root: JsonObject;
  readonly lost: Set<string>;
  nodes: number;
}

/**
 * JSON Schema in the OpenAPI subset: `$ref`s written out, `oneOf` and type lists as `anyOf`, `null` as `nullable`,
 * `const` as an `enum` of one, exclusive bounds as bounds.
 * @param lost receives the names of the keywords that the subset has no words for.
 * @throws GatewayError `invalid-request` for a schema that is too deep or too large.
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
    if (!EXPRESSIBLE.includes(key) && !/^(?:format|prefixItems|exclusiveM)/.test(key)) walk.lost.add(key);
  }
  return {
    ...plainKeywords(value, walk.lost),
    ...renderType(value, walk.lost),
    ...renderChoice(value, inner),
    ...renderObject(value, inner),
    ...renderItems(value, inner),
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
  const target = resolveReference(ref, walk.root);
  // A schema that holds itself has no end when it is written out: at its second occurrence, any object is allowed.
  if (target === undefined || refs.includes(ref)) {
    walk.lost.add('$ref');
    return { type: 'object', ...siblings };
  }
  return mergeSchemas(shrink(target, walk, [...refs, ref], depth + 1), siblings);
}

function renderChoice(schema: JsonObject, inner: (schema: Json) => JsonObject): JsonObject {
  const listed = [...asList(schema['anyOf']), ...asList(schema['oneOf'])];
  if (listed.length === 0) return {};
  const some = listed.filter((each) => asObject(each)?.['type'] !== 'null').map(inner);
  const nullable = some.length < listed.length && { nullable: true };
  return some.length === 1 ? { ...some[0], ...nullable } : { anyOf: some, ...nullable };
}

function renderObject(schema: JsonObject, inner: (schema: Json) => JsonObject): JsonObject {
  const properties = asObject(schema['properties']);
  // An object with an empty `properties` is refused; one without `properties` is not.
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

function renderItems(schema: JsonObject, inner: (schema: Json) => JsonObject): JsonObject {
  const tuple = [...asList(schema['prefixItems']), ...asList(schema['items'])];
  if (tuple.length > 0)
    return { items: tuple.length === 1 ? inner(tuple[0] ?? {}) : { anyOf: tuple.map(inner) } };
  const items = schema['items'];
  // An array must have `items`.
  if (items === undefined) return schema['type'] === 'array' ? { items: {} } : {};
  return { items: inner(items) };
}

/** One schema that asks for both, as `allOf` and keywords beside a `$ref` do. */
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
