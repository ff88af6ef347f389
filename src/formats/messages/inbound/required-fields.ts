/** Checks on fields of a request. The errors have the vendor's own wording. */

import { type GatewayError, invalid } from '../../../lib/errors.ts';
import { isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { Place } from '../../../lib/place.ts';

/**
 * Reads a field that must be a text.
 * @param around path of the object that has the field, such as `messages.0`; or of the field, if no name is given.
 * @param name of the field.
 * @throws GatewayError `invalid-request` if it is missing or not a text.
 */
export function parseRequiredText(value: Json | undefined, around: Place, name?: string): string {
  if (typeof value === 'string') return value;
  const at = name === undefined ? around : `${around}.${name}`;
  throw invalid(
    `${at}: ${value === undefined ? 'Field required' : 'Input should be a valid string'}`,
    String(at),
  );
}

/**
 * Makes the error for a `type` that is not known.
 * @param at path of the object that has the type.
 * @param expected the known types, if they are few enough to list.
 */
export function unknownTypeError(at: Place, tag: string, expected?: readonly string[]): GatewayError {
  const found = `Input tag '${tag.slice(0, 50)}' found using 'type' does not match any of the expected tags`;
  const known = expected ? `: ${expected.map((word) => `'${word}'`).join(', ')}` : '';
  return invalid(`${at}: ${found}${known}`, String(at));
}

/**
 * Reads a field that may be missing or null.
 * @param at path of the field.
 * @param read returns undefined for a value of the wrong type.
 * @param type the expected type, as the vendor calls it.
 * @returns undefined if the field is missing or null.
 * @throws GatewayError `invalid-request` if `read` returns undefined.
 */
export function parseOptional<T>(
  value: Json | undefined,
  at: string,
  read: (value: Json) => T | undefined,
  type: string,
): T | undefined {
  if (value === undefined || value === null) return undefined;
  const result = read(value);
  if (result === undefined) throw invalid(`${at}: Input should be a valid ${type}`, at);
  return result;
}

/**
 * Reads a field that must be a list of blocks.
 * @param at path of the field.
 * @throws GatewayError `invalid-request` if it is not a list, or if an item is not an object with a type.
 */
export function parseRequiredBlocks(content: Json, at: Place): readonly JsonObject[] {
  if (!isList(content)) throw invalid(`${at}: Input should be a valid list`, String(at));
  if (content.every(isBlock)) return content;
  const index = content.findIndex((block) => !isBlock(block));
  const here = `${at}.${index}`;
  if (!isObject(content[index])) throw invalid(`${here}: Input should be an object`, here);
  throw invalid(`${here}.type: Field required`, `${here}.type`);
}

function isBlock(value: Json): value is JsonObject {
  return isObject(value) && value['type'] !== undefined;
}

/**
 * Anthropic requires `max_tokens`. Other services that speak this format do not, and would answer at a length of their
 * own.
 * @see Inbound.requireFields
 */
export function requireFields(has: (name: string) => boolean): void {
  if (!has('max_tokens')) throw invalid('max_tokens: Field required', 'max_tokens');
}
