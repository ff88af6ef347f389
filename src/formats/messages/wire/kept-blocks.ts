/**
 * Blocks that go back to Anthropic unchanged, while other vendors receive the part that was made of the block. The part
 * holds the block among its round-trip fields.
 */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { FormatSpecific, Part } from '../../../conversation/prompt.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';

/** Fields for a part that is made of a block, to be spread: they keep the whole block for Anthropic. */
export function keepBlock(block: JsonObject): { readonly formatSpecific: FormatSpecific } {
  return { formatSpecific: { format: 'messages', fields: {}, roundTrip: { block } } };
}

/** Returns the block that a part was made of, or undefined if no block was kept. */
export function keptBlock(part: Part): JsonObject | undefined {
  return asObject(findRoundTrip(part.formatSpecific, 'messages')['block']);
}

/**
 * Fields for a part whose content is also in the kept block of a neighbouring part, to be spread. Anthropic must not receive
 * it twice.
 */
export const WITHIN_KEPT_BLOCK = {
  formatSpecific: { format: 'messages', fields: {}, roundTrip: { isInBlock: true } },
} as const;

/** Tells whether a part has the fields of `WITHIN_KEPT_BLOCK`. */
export function isWithinKeptBlock(part: Part): boolean {
  return findRoundTrip(part.formatSpecific, 'messages')['isInBlock'] === true;
}
