/**
 * What strict mode requires of a JSON Schema (OpenAI's guide on structured outputs, and the checks of its SDK): an
 * object at the root, every object closed, every property required, and no keyword or format that it does not know
 * ("'allOf' is not permitted", "'uri' is not a valid format"). If a function has no `strict`, OpenAI's responses tries
 * it: its answers say `strict: true`. No other vendor adapts a schema for it, so they are asked for strict mode only
 * if the schema fits.
 */

import {
  asList,
  asObject,
  asObjects,
  asText,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../lib/json.ts';
import type { FormatName, OutputFormat } from '../prompt.ts';

const DEEPEST = 32;

const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

const REFUSED = [
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef',
  'allOf',
  'contains',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'else',
  'if',
  'maxContains',
  'maxProperties',
  'minContains',
  'minProperties',
  'not',
  'oneOf',
  'patternProperties',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
  'uniqueItems',
];

/** Formats whose vendors always enforce a schema. */
const ENFORCING: readonly (FormatName | undefined)[] = ['messages', 'generate-content'];

/** Whether strict mode takes a schema as it is. It does not take one that is too deep to check. */
export function fitsStrict(schema: JsonObject | undefined): boolean {
  if (schema === undefined) return true;
  return schema['type'] === 'object' && schema['anyOf'] === undefined && isClosed(schema, 0);
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
  if (!isObject(schema)) return true;
  if (depth > DEEPEST || REFUSED.some((key) => schema[key] !== undefined)) return false;
  // A tuple of older drafts. Its word in the newest draft is refused.
  if (isList(schema['items'])) return false;
  const format = asText(schema['format']);
  if (format !== undefined && !FORMATS.includes(format)) return false;
  const properties = asObject(schema['properties']) ?? {};
  const names = Object.keys(properties);
  const required = new Set(asList(schema['required']));
  const isAnObject = schema['type'] === 'object' || names.length > 0;
  if (isAnObject && schema['additionalProperties'] !== false) return false;
  if (names.some((name) => !required.has(name))) return false;
  const inner: readonly (Json | undefined)[] = [
    ...Object.values(properties),
    ...Object.values(asObject(schema['$defs']) ?? {}),
    ...Object.values(asObject(schema['definitions']) ?? {}),
    ...asObjects(schema['anyOf']),
    schema['items'],
  ];
  return inner.every((value) => isClosed(value, depth + 1));
}
