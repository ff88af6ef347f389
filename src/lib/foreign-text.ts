/** Foreign texts, of which only the beginning is needed. */

import { asText, type Json } from './json.ts';

/** The longest text that is read from a vendor's error, in UTF-16 code units. */
export const MAX_FOREIGN = 2_000;

/**
 * Reads a text in a vendor's error: the string, cut to MAX_FOREIGN before anything searches it, because expressions may
 * cost more than its length. Undefined if `value` is not a string.
 */
export function foreignText(value: Json | undefined): string | undefined {
  return asText(value)?.slice(0, MAX_FOREIGN);
}
