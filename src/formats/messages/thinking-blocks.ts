/** Thoughts as blocks: signed as Anthropic has signed them, or sealed as another vendor's. */

import type { Signature, ThinkingPart } from '../../conversation/prompt.ts';
import { seal } from '../../conversation/signature.ts';
import type { JsonObject } from '../../json.ts';

/** @param fields what the block has beside the thought. */
export function thinkingBlock(
  { text, signature }: Pick<ThinkingPart, 'text' | 'signature'>,
  fields: JsonObject,
): JsonObject {
  const signed = signature === undefined ? '' : seal(signature, 'anthropic');
  return { ...fields, type: 'thinking', thinking: text, signature: signed };
}

/** Thinking that only its vendor can read. */
export function redactedBlock(redacted: Signature, fields: JsonObject): JsonObject {
  return { ...fields, type: 'redacted_thinking', data: seal(redacted, 'anthropic') };
}
