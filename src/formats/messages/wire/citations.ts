/** Citations: the five kinds of `*_location` that a text block may carry. */

import type { Citation } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asText, compact } from '../../../lib/json.ts';
import { FORMAT } from './wire.ts';

/** A citation of Anthropic's. It is on the whole block, so it has no offsets. */
export function parseCitation(value: JsonObject): Citation {
  const { type } = value;
  const source = type === 'search_result_location' ? asText(value['source']) : asText(value['url']);
  return {
    ...compact({
      url: source !== undefined && /^https?:/i.test(source) ? source : undefined,
      title: asText(value['title']) ?? asText(value['document_title']),
      citedText: asText(value['cited_text']),
    }),
    formatSpecific: { format: FORMAT, fields: value },
  };
}

/** The citation as Anthropic writes it; undefined where another format's has no URL, which every kind that fits needs. */
export function renderCitation(citation: Citation): JsonObject | undefined {
  if (citation.formatSpecific?.format === FORMAT) return citation.formatSpecific.fields;
  if (citation.url === undefined) return undefined;
  return {
    type: 'web_search_result_location',
    cited_text: citation.citedText ?? '',
    url: citation.url,
    title: citation.title ?? null,
    // Nobody but Anthropic can make one, and only Anthropic reads it.
    encrypted_index: '',
  };
}

/** The citation as Anthropic takes it back in a history; undefined where it has not made it. */
export function ownCitation({ formatSpecific: own }: Citation): JsonObject | undefined {
  return own?.format === FORMAT && own.fields['encrypted_index'] !== '' ? own.fields : undefined;
}
