/**
 * What strict mode demands of a JSON Schema (OpenAI's guide on structured outputs, and what its SDK refuses to send): an
 * object at the root, every object closed, every property required, and none of the keywords and formats it does not
 * know: "'allOf' is not permitted", "'uri' is not a valid format". Left out of a function tool, `strict` makes OpenAI's
 * responses try it: its answers echo `strict: true`. No other vendor mends a schema for that, so strict is asked of them
 * only where the schema fits.
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

/** Formats whose vendors always enforce the schema they are given. */
const ENFORCING: readonly (FormatName | undefined)[] = ['messages', 'generate-content'];

/** Whether a schema can be asked for strictly as it stands; one too deep to tell cannot. */
export function fitsStrict(schema: JsonObject | undefined): boolean {
  if (schema === undefined) return true;
  return schema['type'] === 'object' && schema['anyOf'] === undefined && isClosed(schema, 0);
}

/**
 * What is to be said of strictness for the form of an answer: what the caller said, and for one whose format has no word
 * for it, that it is meant, where it can be.
 * @param from the caller's format.
 */
export function strictnessOf(
  { strict, schema }: Extract<OutputFormat, { kind: 'json-schema' }>,
  from: FormatName | undefined,
): boolean | undefined {
  return strict ?? (ENFORCING.includes(from) && fitsStrict(schema) ? true : undefined);
}

function isClosed(schema: Json | undefined, depth: number): boolean {
  if (!isObject(schema)) return true;
  if (depth > DEEPEST || REFUSED.some((key) => schema[key] !== undefined)) return false;
  // A tuple of older drafts, for which the newest has a word that is refused.
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
