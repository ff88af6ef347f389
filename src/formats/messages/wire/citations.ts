/** Citations of a text block: the five kinds of `*_location`. */

import type { Citation } from '../../../conversation/prompt.ts';
import { asText, compact, type JsonObject } from '../../../lib/json.ts';

/** Parses a citation. Anthropic's citations apply to a whole block, so they have no offsets. */
export function parseCitation(value: JsonObject): Citation {
  const { type } = value;
  const source = type === 'search_result_location' ? asText(value['source']) : asText(value['url']);
  return {
    ...compact({
      url: source !== undefined && /^https?:/i.test(source) ? source : undefined,
      title: asText(value['title']) ?? asText(value['document_title']),
      citedText: asText(value['cited_text']),
    }),
    formatSpecific: { format: 'messages', fields: value },
  };
}

/**
 * Renders a citation for a caller.
 * @returns undefined for one of another format that has no URL: every kind that would fit requires one.
 */
export function renderCitation(citation: Citation): JsonObject | undefined {
  if (citation.formatSpecific?.format === 'messages') return citation.formatSpecific.fields;
  if (citation.url === undefined) return undefined;
  return {
    type: 'web_search_result_location',
    cited_text: citation.citedText ?? '',
    url: citation.url,
    title: citation.title ?? null,
    // Only Anthropic can make this value, and only Anthropic reads it.
    encrypted_index: '',
  };
}

/** Renders a citation of an earlier turn for Anthropic, which accepts only its own; undefined for any other. */
export function renderOwnCitation({ formatSpecific }: Citation): JsonObject | undefined {
  const isOwn = formatSpecific?.format === 'messages' && formatSpecific.fields['encrypted_index'] !== '';
  return isOwn ? formatSpecific.fields : undefined;
}
