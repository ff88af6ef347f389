/**
 * What an answer's format has no place for: blocks that only another format can read, and citations without a URL. They
 * stand beside the content and not in it, since the content comes back with the caller's next request.
 */

import type { Citation, FormatName } from '../conversation/prompt.ts';
import type { JsonObject } from '../lib/json.ts';

/** Gathers such content of one answer. */
export interface Foreign {
  /** Adds a block of another format. */
  block(format: FormatName, value: JsonObject): void;
  /** Adds a citation without a URL. */
  cite(citation: Citation): void;
  /** `provider_specific_fields` (LiteLLM's name): blocks by their format, and `citations`. Empty if there are none. */
  fields(): JsonObject;
}

/** A gatherer with nothing in it. */
export function foreign(): Foreign {
  let told: Partial<Record<FormatName | 'citations', JsonObject[]>> | undefined;
  const tell = (name: FormatName | 'citations', value: JsonObject): void => {
    told ??= {};
    told[name] ??= [];
    told[name].push(value);
  };
  return {
    block: tell,
    cite: (citation) => tell('citations', citationFields(citation)),
    fields: () => (told === undefined ? {} : { provider_specific_fields: told }),
  };
}

/** A citation as its own format wrote it, or in Anthropic's words. */
function citationFields({ formatSpecific, title, citedText, start, end }: Citation): JsonObject {
  if (formatSpecific) return formatSpecific.fields;
  return {
    ...(title !== undefined && { title }),
    ...(citedText !== undefined && { cited_text: citedText }),
    ...(start !== undefined && { start_index: start }),
    ...(end !== undefined && { end_index: end }),
  };
}
