/** Thinking as blocks. The signature is Anthropic's own, or another vendor's in a seal, or a placeholder for none. */

import type { Signature, ThinkingPart } from '../../../conversation/prompt.ts';
import { seal, UNSIGNED } from '../../../conversation/signature.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** Renders a thinking block. @param fields further fields of the block. */
export function renderThinkingBlock(
  { text, signature }: Pick<ThinkingPart, 'text' | 'signature'>,
  fields: JsonObject,
): JsonObject {
  return { ...fields, type: 'thinking', thinking: text, signature: renderSignature(signature) };
}

/** Renders the `signature` of a thought that is complete. */
export function renderSignature(signature: Signature | undefined): string {
  return signature === undefined ? UNSIGNED : seal(signature, 'anthropic');
}

/** Renders thinking that only its vendor can read. @param fields further fields of the block. */
export function renderRedactedBlock(redacted: Signature, fields: JsonObject): JsonObject {
  return { ...fields, type: 'redacted_thinking', data: seal(redacted, 'anthropic') };
}
