/** `annotations` of a message, as citations: their offsets count over all of its text, a citation's over its part. */

import type { Citation } from '../../conversation/prompt.ts';
import { asNumber, asObject, asText, compact, type JsonObject } from '../../json.ts';

/** A citation on a part that begins at `partStart` of the message's text. Kinds without a URL are carried whole. */
export function parseAnnotation(annotation: JsonObject, partStart: number): Citation {
  const fields = asObject(annotation['url_citation']) ?? {};
  const start = asNumber(fields['start_index']);
  const end = asNumber(fields['end_index']);
  const isPlaced = start !== undefined && end !== undefined && start >= partStart && end >= start;
  return {
    ...compact({
      url: asText(fields['url']),
      title: asText(fields['title']),
      citedText: asText(fields['content']),
    }),
    ...(isPlaced && { start: start - partStart, end: end - partStart }),
    own: { format: 'chat-completions', fields: annotation },
  };
}

/** Citations of one part of a message, as the message says them. */
export interface RenderedCitations {
  readonly annotations: readonly JsonObject[];
  /** Those without a URL, which `annotations` has no kind for: as their own format wrote them. */
  readonly others: readonly JsonObject[];
}

/** @param length of the part, which a citation without offsets is about */
export function renderCitations(
  citations: readonly Citation[],
  partStart: number,
  length: number,
): RenderedCitations {
  const annotations: JsonObject[] = [];
  const others: JsonObject[] = [];
  for (const citation of citations) {
    const { url, title = '', citedText, start = 0, end = length, own } = citation;
    if (own?.format === 'chat-completions') annotations.push(own.fields);
    else if (url === undefined) others.push(own?.fields ?? { cited_text: citedText ?? '', title });
    else {
      annotations.push({
        ...own?.fields,
        type: 'url_citation',
        url_citation: { start_index: partStart + start, end_index: partStart + end, title, url },
      });
    }
  }
  return { annotations, others };
}
