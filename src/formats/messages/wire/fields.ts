/** Fields of a request; one of another type is refused in the vendor's words. */

import { type GatewayError, invalid } from '../../../lib/errors.ts';
import { asText, type Json } from '../../../lib/json.ts';

/**
 * @param at where it stands, e.g. `messages.0.content`.
 * @throws GatewayError `invalid-request` where it is no text.
 */
export function requiredText(value: Json | undefined, at: string): string {
  const text = asText(value);
  if (text !== undefined) return text;
  throw invalid(`${at}: ${value === undefined ? 'Field required' : 'Input should be a valid string'}`, at);
}

/**
 * A 400 for a kind that nobody knows.
 * @param expected the known ones, where they are few.
 */
export function unknownTag(at: string, tag: string, expected?: readonly string[]): GatewayError {
  const found = `Input tag '${tag.slice(0, 50)}' found using 'type' does not match any of the expected tags`;
  const known = expected ? `: ${expected.map((word) => `'${word}'`).join(', ')}` : '';
  return invalid(`${at}: ${found}${known}`, at);
}

/**
 * What `read` makes of a field that may be absent or null.
 * @param type what it should be, in the vendor's word.
 * @throws GatewayError `invalid-request` where that is nothing.
 */
export function optional<T>(
  value: Json | undefined,
  at: string,
  read: (value: Json) => T | undefined,
  type: string,
): T | undefined {
  if (value === undefined || value === null) return undefined;
  const given = read(value);
  if (given === undefined) throw invalid(`${at}: Input should be a valid ${type}`, at);
  return given;
}
