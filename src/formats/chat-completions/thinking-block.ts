/** Thinking in LiteLLM's shape, which is Anthropic's: on assistant messages and deltas, both ways. */

import type { ThinkingPart } from '../../conversation/prompt.ts';
import { seal } from '../../conversation/signature.ts';
import type { JsonObject } from '../../json.ts';

/** A thought as one of `thinking_blocks`. */
export function thinkingBlock({
  text,
  signature,
  redacted,
}: Pick<ThinkingPart, 'text' | 'signature' | 'redacted'>): JsonObject {
  if (redacted) return { type: 'redacted_thinking', data: seal(redacted, 'anthropic') };
  return { type: 'thinking', thinking: text, ...(signature && { signature: seal(signature, 'anthropic') }) };
}
