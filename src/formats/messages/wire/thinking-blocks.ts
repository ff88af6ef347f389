/** Thoughts as blocks: signed as Anthropic has signed them, sealed as another vendor's, or by nobody. */

import type { Signature, ThinkingPart } from '../../../conversation/prompt.ts';
import { seal, UNSIGNED } from '../../../conversation/signature.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** @param fields what the block has beside the thought. */
export function thinkingBlock(
  { text, signature }: Pick<ThinkingPart, 'text' | 'signature'>,
  fields: JsonObject,
): JsonObject {
  return { ...fields, type: 'thinking', thinking: text, signature: proofText(signature) };
}

/** What stands in the `signature` of a thought that is over. */
export function proofText(signature: Signature | undefined): string {
  return signature === undefined ? UNSIGNED : seal(signature, 'anthropic');
}

/** Thinking that only its vendor can read. */
export function redactedBlock(redacted: Signature, fields: JsonObject): JsonObject {
  return { ...fields, type: 'redacted_thinking', data: seal(redacted, 'anthropic') };
}
