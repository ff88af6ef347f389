/**
 * What an answer's format has no place for: blocks that only another format can read, and citations without a URL. They
 * stand beside the content and not in it, since the content comes back with the caller's next request.
 */

import type { Citation, FormatName } from '../conversation/prompt.ts';
import { compact, type JsonObject } from '../lib/json.ts';

/** Gathers such content of one answer. */
export class Foreign {
  #told: Partial<Record<FormatName | 'citations', JsonObject[]>> | undefined;

  /** Adds a block of another format. */
  block(format: FormatName, value: JsonObject): void {
    this.#tell(format, value);
  }

  /** Adds a citation without a URL. */
  cite(citation: Citation): void {
    this.#tell('citations', citationFields(citation));
  }

  /** `provider_specific_fields` (LiteLLM's name): blocks by their format, and `citations`. Empty if there are none. */
  fields(): JsonObject {
    return this.#told === undefined ? {} : { provider_specific_fields: this.#told };
  }

  #tell(name: FormatName | 'citations', value: JsonObject): void {
    this.#told ??= {};
    this.#told[name] ??= [];
    this.#told[name].push(value);
  }
}

/** A citation as its own format wrote it, or in Anthropic's words. */
function citationFields({ formatSpecific, title, citedText, start, end }: Citation): JsonObject {
  if (formatSpecific) return formatSpecific.fields;
  return compact({ title, cited_text: citedText, start_index: start, end_index: end });
}
