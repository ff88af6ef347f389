/** Renders the blocks that carry other vendors' signatures (`wire/signature-carriers.ts`). */

import type { Signature } from '../../../conversation/prompt.ts';
import { seal } from '../../../conversation/signature.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { CARRIER_MARKS, type CarrierPlace, isCarried } from '../wire/signature-carriers.ts';

/**
 * Renders the carrier of a call's or a text's signature.
 * @param place which of its neighbours the signature belongs to. An empty text has no block, so its carrier stands alone.
 * @returns a list of one block, or an empty list if there is no signature to carry.
 */
export function renderCarrierBlocks(
  signature: Signature | undefined,
  place: CarrierPlace,
): readonly JsonObject[] {
  if (signature === undefined || !isCarried(signature)) return [];
  const { origin, value } = signature;
  const sealed = seal({ origin, value: CARRIER_MARKS[place] + value }, 'anthropic');
  return [{ type: 'thinking', thinking: '', signature: sealed }];
}
