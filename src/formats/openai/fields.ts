/**
 * Fields that both of OpenAI's formats have, and readers of a caller's fields that report mistakes in OpenAI's own words.
 * `null` counts as absent, as it does at OpenAI.
 */

import type { Prompt } from '../../conversation/prompt.ts';
import { findMissingChoice } from '../../conversation/rules/allowed-tools.ts';
import { GatewayError, invalid } from '../../lib/errors.ts';
import { isList, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { itemPlace, type Place } from '../../lib/place.ts';
import { wordSet } from '../../lib/words.ts';

/** Fields that mean the same in both formats and pass between them unchanged. */
export const SHARED_FIELDS = wordSet(`
  moderation prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier
`);

/** A reader of one type: it returns the value, or undefined for an absent field, and throws a 400 for another type. */
function reader<T extends Json>(expected: string, fits: (value: Json) => value is T) {
  return (value: Json | undefined, param: Place): T | undefined => {
    if (value === undefined || value === null) return undefined;
    if (fits(value)) return value;
    throw wrongType(param, expected, value);
  };
}

/** The number of a field. @see reader */
export const numberAt = reader('a decimal', (value) => typeof value === 'number');
/** The integer of a field. @see reader */
export const integerAt = reader('an integer', (value): value is number => Number.isInteger(value));
/** The boolean of a field. @see reader */
export const flagAt = reader('a boolean', (value) => typeof value === 'boolean');
/** The string of a field. @see reader */
export const textAt = reader('a string', (value) => typeof value === 'string');
/** The object of a field. @see reader */
export const objectAt = reader('an object', isObject);

/**
 * The texts of `metadata`, which OpenAI stores with an answer (API reference, "Metadata").
 * @throws GatewayError `invalid-request` if it is no object, or holds anything but texts.
 */
export function metadataAt(value: Json | undefined): JsonObject | undefined {
  const metadata = objectAt(value, 'metadata');
  for (const [key, text = null] of Object.entries(metadata ?? {})) {
    if (typeof text !== 'string') throw wrongType(`metadata.${key.slice(0, 64)}`, 'a string', text);
  }
  return metadata;
}

/**
 * The integer of `seed`: the nearest number to one of more digits than a JavaScript number holds. The lost digits do not
 * matter: Gemini's seeds have 32 bits, so it refuses the seed anyway.
 */
export function seedAt(value: Json | undefined): number | undefined {
  return integerAt(JSON.isRawJSON(value) ? Number(JSON.stringify(value)) : value, 'seed');
}

/** The sequences of `stop`: a string, or a list of strings. An empty list is none. */
export function stopsAt(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return [value];
  if (!isList(value)) throw wrongType('stop', 'one of a string or array of strings', value);
  if (value.length === 0) return undefined;
  return value.map((item, at) => {
    if (typeof item === 'string') return item;
    throw wrongType(`stop[${at}]`, 'a string', item);
  });
}

/**
 * The string of a required field.
 * @throws GatewayError `invalid-request` if it is absent or no string.
 */
export function requiredText(value: Json | undefined, param: Place): string {
  const text = textAt(value, param);
  if (text === undefined) throw missing(param);
  return text;
}

/**
 * The objects in the list of a field; none if the field is absent.
 * @throws GatewayError `invalid-request` if it is no list of objects.
 */
export function objectsAt(value: Json | undefined, param: Place): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  if (!isList(value)) throw wrongType(param, 'an array of objects', value);
  const isObjectAt = (item: Json, at: number): item is JsonObject => {
    if (isObject(item)) return true;
    throw wrongType(itemPlace(param, at), 'an object', item);
  };
  return value.every(isObjectAt) ? value : [];
}

/** A 400 for a field of the wrong type; `expected` with its article, e.g. `an integer`. */
export function wrongType(param: Place, expected: string, value: Json): GatewayError {
  const message = `Invalid type for '${param}': expected ${expected}, but got ${describeKind(value)} instead.`;
  return mistake(param, 'invalid_type', message);
}

/** A 400 for an empty list. */
export function emptyList(param: Place): GatewayError {
  const message = `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
  return mistake(param, 'empty_array', message);
}

/** A 400 for a value that is not one of the supported words. */
export function wrongValue(
  param: Place,
  value: Json | undefined,
  supported: readonly string[],
): GatewayError {
  const shown = typeof value === 'string' ? value.slice(0, 40) : typeof value;
  const words = supported.map((word) => `'${word}'`);
  const known = [...words.slice(0, -1), `and ${words.at(-1)}`].join(words.length > 2 ? ', ' : ' ');
  const message = `Invalid value: '${shown}'. Supported values are: ${known}.`;
  return mistake(param, 'invalid_value', message);
}

/** A 400 for a field that OpenAI does not know. */
export function unknownField(param: string): GatewayError {
  return mistake(param, 'unknown_parameter', `Unknown parameter: '${param}'.`);
}

/** A 400 for a field that is known, but not supported by the gateway. */
export function unsupported(param: string, message: string): GatewayError {
  return mistake(param, 'unsupported_parameter', message);
}

/** A 400 for an integer that is too small. */
export function tooSmall(param: string, least: number, value: number): GatewayError {
  const message = `Invalid '${param}': integer below minimum value. Expected a value >= ${least}, but got ${value} instead.`;
  return mistake(param, 'integer_below_min_value', message);
}

/**
 * A 400 for a word that is not one of the supported ones. A value that is no text is judged by the parser of its field.
 */
export function requireWord(value: Json | undefined, param: string, supported: readonly string[]): void {
  if (typeof value === 'string' && !supported.includes(value)) throw wrongValue(param, value, supported);
}

/**
 * Checks the choice of a tool.
 * @param param the field that chooses.
 * @throws GatewayError `invalid-request` if it names a tool that the request does not have.
 */
export function requireOffered(prompt: Prompt, param = 'tool_choice'): void {
  const name = findMissingChoice(prompt);
  if (name === undefined) return;
  throw invalid(`Tool choice '${name.slice(0, 64)}' not found in 'tools' parameter.`, param);
}

/** A 400 for an absent field that is required. */
export function missing(param: Place): GatewayError {
  const message = `Missing required parameter: '${param}'.`;
  return mistake(param, 'missing_required_parameter', message);
}

function mistake(param: Place, code: string, message: string): GatewayError {
  return new GatewayError('invalid-request', message, { param: String(param), code });
}

function describeKind(value: Json): string {
  if (value === null) return 'null';
  if (isList(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
