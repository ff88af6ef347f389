/**
 * The OpenAPI 3.0 subset that Gemini's `parameters` and `responseSchema` take (REST reference, `Schema`), as JSON
 * Schema. Only the places where a schema may stand are walked, so a property named `type` stays as it is.
 */

import { mapSchemas, rewriteSchema, type SchemaPlaces } from '../../../conversation/rules/schema-places.ts';
import { invalid } from '../../../lib/errors.ts';
import {
  asList,
  asObject,
  isList,
  type Json,
  type JsonObject,
  tryParseJson,
  withoutFields,
} from '../../../lib/json.ts';

/** Deeper than any schema that a vendor takes. */
const MAX_DEPTH = 100;

const PLACES: SchemaPlaces = {
  schemas: ['items', 'additionalProperties'],
  lists: ['anyOf', 'oneOf', 'allOf', 'prefixItems'],
  maps: ['properties', '$defs', 'definitions'],
};

/**
 * The OpenAPI subset as JSON Schema: types in lower case, `nullable` as the type `null`, counts and bounds as numbers, which
 * protobuf also writes as text, and properties in the order of `propertyOrdering`. Keywords of JSON Schema stay as they are.
 * @param schema its names are in camelCase, and its enums are words.
 * @throws GatewayError `invalid-request` for a schema that is too deep, and for a type that is none.
 */
export function fromOpenApi(schema: JsonObject): JsonObject {
  return orderProperties(widen(schema, 0));
}

function widen(value: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw invalid('The JSON schema is too large.');
  const inner = (schema: JsonObject): JsonObject => widen(schema, depth + 1);
  const { nullable, type, format, ...keywords } = value;
  const schema: JsonObject = {
    ...renderType(type),
    // Google's own mark of a value with an `enum`; no other vendor knows it.
    ...(format !== undefined && format !== 'enum' && { format }),
    ...Object.fromEntries(
      Object.entries(keywords).map(([name, said = null]) => [
        name,
        mapSchemas(name, plainKeyword(name, said), PLACES, inner),
      ]),
    ),
  };
  const typed = isList(schema['enum']) ? withTypedEnum(schema, schema['enum']) : schema;
  return nullable === true ? nullableSchema(typed) : typed;
}

/**
 * Writes the values of an `enum` as values of the type. Google has all of them as texts (REST reference, `Schema`:
 * "{type:INTEGER, format:enum, enum:["101", "201", "301"]}"), which no integer could match elsewhere.
 */
function withTypedEnum(schema: JsonObject, values: readonly Json[]): JsonObject {
  const { type } = schema;
  const types = isList(type) ? type : [type];
  if (types.includes('string')) return schema;
  const typed = (value: Json): Json => {
    if (typeof value !== 'string') return value;
    const read = tryParseJson(value);
    const isOfType =
      (typeof read === 'number' && (types.includes('number') || types.includes('integer'))) ||
      (typeof read === 'boolean' && types.includes('boolean'));
    return isOfType && String(read) === value ? read : value;
  };
  return { ...schema, enum: values.map(typed) };
}

/** `{ type }`, to be spread; empty for the type that says nothing. */
function renderType(type: Json | undefined): { readonly type?: Json } {
  if (type === undefined || type === null) return {};
  if (typeof type === 'number') throw invalid(`Invalid value at 'type' (TYPE_ENUM), ${type}`);
  if (isList(type)) {
    const types = type.flatMap((each) => renderType(each).type ?? []);
    return types.length > 0 ? { type: types } : {};
  }
  if (typeof type !== 'string') return { type };
  const word = type.toLowerCase();
  return word === 'type_unspecified' ? {} : { type: word };
}

function plainKeyword(name: string, value: Json): Json {
  if (typeof value !== 'string' || !/^m(?:in|ax)(?:imum|Items|Length|Properties)$/.test(name)) return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

function nullableSchema(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values } = schema;
  return {
    ...schema,
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...(isList(anyOf) && { anyOf: [...anyOf, { type: 'null' }] }),
    ...(isList(values) && { enum: [...values, null] }),
  };
}

/**
 * The schema without `propertyOrdering`, which no other vendor knows (REST reference, `Schema` and `responseJsonSchema`):
 * the properties that it lists come first, in its order. Models write them in the order of the schema.
 */
export function orderProperties(schema: JsonObject): JsonObject {
  return rewriteSchema(schema, (each) => {
    const rest = withoutFields(each, ['propertyOrdering']);
    // Nearly every schema.
    if (rest === each) return each;
    const order = asList(each['propertyOrdering']);
    const properties = asObject(each['properties']);
    if (properties === undefined) return rest;
    const listed = order.flatMap((name) =>
      typeof name === 'string' && Object.hasOwn(properties, name) ? [[name, properties[name]] as const] : [],
    );
    return { ...rest, properties: { ...Object.fromEntries(listed), ...properties } };
  });
}
