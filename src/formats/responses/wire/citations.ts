/** Annotations of an output_text part (`url_citation` and OpenAI's file kinds), to and from neutral citations. */

import type { Citation } from '../../../conversation/prompt.ts';
import { asNumber, asText, compact, type JsonObject } from '../../../lib/json.ts';

/**
 * Parses an annotation. Of the kinds without a URL, a file that was read has a title; all are kept for OpenAI as they are.
 */
export function parseAnnotation(annotation: JsonObject): Citation {
  const url = annotation['type'] === 'url_citation' ? asText(annotation['url']) || undefined : undefined;
  const title = asText(annotation['type'] === 'file_citation' ? annotation['filename'] : annotation['title']);
  const start = asNumber(annotation['start_index']);
  const end = asNumber(annotation['end_index']);
  return {
    ...compact({ url, title, start, end }),
    formatSpecific: { format: 'responses', fields: annotation },
  };
}

/**
 * Renders a citation as an annotation.
 * @param from where the cited text begins in the part, in UTF-16 code units.
 * @param to where that text ends: a citation without offsets is about all of it.
 * @returns undefined for a citation of another format that has no URL to point to.
 */
export function renderAnnotation(citation: Citation, from: number, to: number): JsonObject | undefined {
  if (citation.formatSpecific?.format === 'responses') return citation.formatSpecific.fields;
  if (citation.url === undefined) return undefined;
  return {
    type: 'url_citation',
    url: citation.url,
    title: citation.title ?? '',
    start_index: from + (citation.start ?? 0),
    end_index: citation.end === undefined ? to : from + citation.end,
  };
}
