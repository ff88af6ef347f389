/**
 * What strict mode requires of a JSON Schema (OpenAI's guide on structured outputs, and the checks of its SDK): an
 * object at the root, every object closed, every property required, a type everywhere ("schema must have a 'type'
 * key", openclaw/clawpatch#60), and no keyword or format that it does not know ("'allOf' is not permitted", "'uri' is
 * not a valid format"). If a function has no `strict`, OpenAI's responses tries it: its answers say `strict: true`. No
 * other vendor adapts a schema for it, so they are asked for strict mode only if the schema fits.
 */

import {
  asList,
  asObject,
  asObjects,
  asText,
  isEmpty,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../lib/json.ts';
import { wordList } from '../../lib/words.ts';
import type { FormatName, OutputFormat } from '../prompt.ts';
import { rewriteSchema } from './schema-places.ts';

/** One of these says what a schema is for. */
const TYPED = ['type', 'anyOf', '$ref'];

const MAX_DEPTH = 32;

const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

const REFUSED = wordList(`
  $anchor $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef allOf contains contentEncoding
  contentMediaType contentSchema dependencies dependentRequired dependentSchemas else if maxContains
  maxProperties minContains minProperties not oneOf patternProperties prefixItems propertyNames then
  unevaluatedItems unevaluatedProperties uniqueItems
`);

/** Formats whose vendors always enforce a schema. */
const ENFORCING: readonly (FormatName | undefined)[] = ['messages', 'generate-content'];

/** Whether strict mode takes a schema in the form of `strictForm`. It does not take one that is too deep to check. */
export function fitsStrict(schema: JsonObject | undefined): boolean {
  if (schema === undefined) return true;
  // Its form has the same root, and the tools of most agents have an open one.
  if (schema['type'] !== 'object' || !isClosedObject(schema)) return false;
  const form = strictForm(schema);
  return form['anyOf'] === undefined && isClosed(form, 0);
}

/**
 * The schema as strict mode takes it, with the same meaning; itself if nothing had to change. A reference stands alone
 * ("$ref cannot have keywords {'description'}", as Pydantic writes them), and a list of values has the values' type.
 */
export function strictForm(schema: JsonObject): JsonObject {
  return rewriteSchema(schema, (one) => withType(withLoneReference(one)));
}

function withLoneReference(schema: JsonObject): JsonObject {
  if (schema['$ref'] === undefined) return schema;
  const { $ref, ...rest } = schema;
  return isEmpty(rest) || rest['anyOf'] !== undefined ? schema : { ...rest, anyOf: [{ $ref }] };
}

function withType(schema: JsonObject): JsonObject {
  if (TYPED.some((key) => schema[key] !== undefined)) return schema;
  const values = schema['const'] === undefined ? asList(schema['enum']) : [schema['const']];
  const types = [...new Set(values.map(findType))];
  const [first] = types;
  if (first === undefined || types.includes(undefined)) return schema;
  return { type: types.length === 1 ? first : types.filter((type) => type !== undefined), ...schema };
}

/** The type of a value; undefined for lists and objects, which strict mode does not take as values. */
function findType(value: Json | undefined): string | undefined {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : undefined;
}

/**
 * Whether the form of an answer asks for strict mode: as the caller said. In a format that always enforces schemas, the
 * caller means strict mode if the schema fits it.
 * @param from the caller's format.
 */
export function findStrictness(
  { strict, schema }: Extract<OutputFormat, { kind: 'json-schema' }>,
  from: FormatName | undefined,
): boolean | undefined {
  return strict ?? (ENFORCING.includes(from) && fitsStrict(schema) ? true : undefined);
}

function isClosed(schema: Json | undefined, depth: number): boolean {
  if (schema === undefined) return true;
  if (!isObject(schema) || !TYPED.some((key) => schema[key] !== undefined)) return false;
  if (schema['$ref'] !== undefined) return Object.keys(schema).length === 1;
  if (depth > MAX_DEPTH || REFUSED.some((key) => schema[key] !== undefined)) return false;
  if (!isKnownFormat(asText(schema['format'])) || !isClosedList(schema) || !isClosedObject(schema))
    return false;
  const inner: readonly (Json | undefined)[] = [
    ...Object.values(asObject(schema['properties']) ?? {}),
    ...Object.values(asObject(schema['$defs']) ?? {}),
    ...Object.values(asObject(schema['definitions']) ?? {}),
    ...asObjects(schema['anyOf']),
    schema['items'],
  ];
  return inner.every((value) => isClosed(value, depth + 1));
}

function isKnownFormat(format: string | undefined): boolean {
  return format === undefined || FORMATS.includes(format);
}

/** A list must say what is in it. A tuple of older drafts has a word in the newest draft, which is refused. */
function isClosedList({ type, items }: JsonObject): boolean {
  const isArray = type === 'array' || asList(type).includes('array');
  return !isList(items) && !(isArray && items === undefined);
}

/** An object must name all its properties, and require each. */
function isClosedObject({ type, properties, required, additionalProperties }: JsonObject): boolean {
  const names = Object.keys(asObject(properties) ?? {});
  const isAnObject = type === 'object' || names.length > 0;
  if (isAnObject && additionalProperties !== false) return false;
  const needed = new Set(asList(required));
  return names.every((name) => needed.has(name));
}
