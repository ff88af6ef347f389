/**
 * What an answer has no place for: blocks that another format alone can read, and citations without a URL. They are
 * told beside the content, not in it, for the content comes back with the caller's next request.
 */

import type { Citation, FormatName } from '../conversation/prompt.ts';
import type { JsonObject } from '../lib/json.ts';

export interface Foreign {
  block(format: FormatName, value: JsonObject): void;
  cite(citation: Citation): void;
  /** `provider_specific_fields` (LiteLLM's name): blocks by their format, and `citations`. No field where nothing was told. */
  fields(): JsonObject;
}

export function foreign(): Foreign {
  const told: Partial<Record<FormatName | 'citations', JsonObject[]>> = {};
  const tell = (name: FormatName | 'citations', value: JsonObject): void => {
    told[name] ??= [];
    told[name].push(value);
  };
  return {
    block: tell,
    cite: (citation) => tell('citations', citationFields(citation)),
    fields: () => (Object.keys(told).length > 0 ? { provider_specific_fields: told } : {}),
  };
}

/** A citation as its own format has it. */
function citationFields({ formatSpecific: own, title, citedText, start, end }: Citation): JsonObject {
  if (own) return own.fields;
  return {
    ...(title !== undefined && { title }),
    ...(citedText !== undefined && { cited_text: citedText }),
    ...(start !== undefined && { start_index: start }),
    ...(end !== undefined && { end_index: end }),
  };
}
