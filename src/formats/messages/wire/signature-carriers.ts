/**
 * Signatures of other vendors' texts and tool calls. Anthropic's format signs thinking only, so such a signature travels
 * to a client in an empty thinking block, the carrier, which the client sends back like any other:
 * - A call's signature stands before the `tool_use`, sealed with a `c.` (call) before its value (`google#c.AbC…`). If no
 *   call follows, it belongs to an empty part.
 * - A signature that came after its part was sent stands behind it, with a `p.` (previous). No base64 alphabet has a `.`,
 *   so no vendor's signature begins with either mark.
 * - The text at the end of an answer has no carrier: Claude Code takes the last block for the answer, and Google, whose
 *   models sign their last words, needs the signatures of calls only (thought signatures guide).
 * Crush, Kimi Code and Zed merge consecutive thinking blocks into one. The mark then tells a signature that the block only
 * carries from the signature of the block's own thought.
 */

import type { Signature } from '../../../conversation/prompt.ts';

/** The mark that stands before a carried signature's value. */
export const CARRIER_MARKS = { next: 'c.', previous: 'p.' } as const;

/** Which of a carrier's neighbours its signature belongs to. */
export type CarrierPlace = keyof typeof CARRIER_MARKS;

/** A carried signature without its mark. */
export interface CarriedSignature {
  readonly place: CarrierPlace;
  readonly signature: Signature;
}

/** Tells whether a signature travels in a carrier: those of vendors that sign more than thinking do. */
export function isCarried(signature: Signature): boolean {
  return signature.origin === 'google' || signature.origin === 'other';
}

/**
 * Tells whether an empty thinking block with this signature is a carrier. Google's may be without a mark; a service whose
 * vendor is not known encrypts thoughts, and its block without a mark is one.
 */
export function isCarrier(signature: Signature): boolean {
  return signature.origin === 'google' || (isCarried(signature) && parseMarked(signature) !== undefined);
}

/** Reads a carrier's signature. One without a mark belongs to the part that follows. */
export function openCarrier(carried: Signature): CarriedSignature {
  return parseMarked(carried) ?? { place: 'next', signature: carried };
}

/** Reads a signature with a mark; undefined if it has none. */
export function parseMarked({ origin, value }: Signature): CarriedSignature | undefined {
  const mark = value.slice(0, 2);
  const place =
    mark === CARRIER_MARKS.next ? 'next' : mark === CARRIER_MARKS.previous ? 'previous' : undefined;
  return place && { place, signature: { origin, value: value.slice(2) } };
}
