/** Texts of others, of which nobody here needs more than the beginning. */

import { asText, type Json } from './json.ts';

/** The longest text that is read of a vendor's error, in UTF-16 code units. */
export const MAX_FOREIGN = 2_000;

/**
 * A text in what a vendor has said of a failure: the string, cut to MAX_FOREIGN before anything looks at it, or undefined
 * where `value` is anything else. Expressions that read it may cost more than its length.
 */
export function foreignText(value: Json | undefined): string | undefined {
  return asText(value)?.slice(0, MAX_FOREIGN);
}
