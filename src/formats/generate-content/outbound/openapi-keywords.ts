/** Single keywords of the OpenAPI 3.0 subset that Gemini takes (REST reference, `Schema`). */

import { asList, asNumber, asText, compact, type Json, type JsonObject } from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';

/** Keywords of the subset whose values are not schemas. */
export const PLAIN = wordList(`
  title description minItems maxItems minProperties maxProperties minLength maxLength minimum maximum
  pattern example default propertyOrdering
`);

/** Formats that the subset takes. Any other makes the vendor refuse the request. */
const FORMATS: readonly string[] = ['enum', 'date-time', 'float', 'double', 'int32', 'int64'];

/**
 * The keywords that stay as they are, and exclusive bounds as bounds.
 * @param lost receives those the subset has no words for.
 */
export function plainKeywords(schema: JsonObject, lost: Set<string>): JsonObject {
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
  else if (format !== undefined) lost.add('format');
  return kept;
}

/**
 * `type`, `nullable` and `enum`. The subset's enums are lists of strings: other values stand in the description.
 * @param lost receives the keywords that the subset has no words for.
 */
export function renderType(schema: JsonObject, lost: Set<string>): JsonObject {
  const listed = [schema['type'] ?? []].flat().filter((type) => typeof type === 'string');
  const types = listed.filter((type) => type !== 'null');
  const values = 'const' in schema ? [schema['const'] ?? null] : asList(schema['enum']);
  const choices = values.filter((value) => value !== null);
  const nullable =
    schema['nullable'] === true || types.length < listed.length || choices.length < values.length;
  const texts = choices.filter((value) => typeof value === 'string');
  const isListed = texts.length === choices.length;
  if (!isListed) lost.add('enum');
  const hint = isListed ? '' : `One of: ${choices.map((value) => JSON.stringify(value)).join(', ')}.`;
  const description = [asText(schema['description']), hint].filter((text) => text).join(' ');
  return compact({
    type: types.length === 0 ? guessType(choices) : findOnly(types),
    anyOf: types.length > 1 ? types.map((type) => ({ type })) : undefined,
    nullable: nullable || undefined,
    enum: isListed && texts.length > 0 ? texts : undefined,
    description: description || undefined,
  });
}

function guessType(choices: readonly Json[]): string | undefined {
  if (choices.some((value) => typeof value === 'string')) return 'string';
  return typeof choices[0] === 'number' ? 'number' : undefined;
}

function findOnly(types: readonly string[]): string | undefined {
  return types.length === 1 ? types[0] : undefined;
}
