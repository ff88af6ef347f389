/** What chat-completions has no place for: blocks that another format alone can read, and citations without a URL. */

import type { OpaquePart } from '../../conversation/prompt.ts';
import type { JsonObject } from '../../json.ts';

/** `provider_specific_fields` (LiteLLM's name): blocks by their format, and `citations`. */
export function renderForeign(
  blocks: readonly Pick<OpaquePart, 'format' | 'value'>[],
  citations: readonly JsonObject[],
): JsonObject | undefined {
  if (blocks.length === 0 && citations.length === 0) return undefined;
  const fields: Record<string, JsonObject[]> = {};
  for (const { format, value } of blocks) {
    fields[format] ??= [];
    fields[format].push(value);
  }
  return { ...fields, ...(citations.length > 0 && { citations }) };
}
