/** `annotations` of a message, as citations: their offsets count over all of its text, a citation's over its part. */

import type { Citation, TextPart } from '../../../conversation/prompt.ts';
import { asNumber, asObject, asText, compact, type JsonObject } from '../../../lib/json.ts';

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
    formatSpecific: { format: 'chat-completions', fields: annotation },
  };
}

/** The citations of a message's texts as its annotations, and those that are none. */
export function renderAnnotations(texts: readonly TextPart[]): {
  readonly annotations: readonly JsonObject[];
  readonly unlinked: readonly Citation[];
} {
  const annotations: JsonObject[] = [];
  const unlinked: Citation[] = [];
  let start = 0;
  for (const { text, citations = [] } of texts) {
    for (const citation of citations) {
      const annotation = renderAnnotation(citation, start, text.length);
      if (annotation) annotations.push(annotation);
      else unlinked.push(citation);
    }
    start += text.length;
  }
  return { annotations, unlinked };
}

/**
 * A citation of a part as one of the message's annotations; undefined where it has no URL, for which there is no kind.
 * @param length of the part, which a citation without offsets is about
 */
export function renderAnnotation(
  citation: Citation,
  partStart: number,
  length: number,
): JsonObject | undefined {
  const { url, title = '', start = 0, end = length, formatSpecific: own } = citation;
  if (own?.format === 'chat-completions') return own.fields;
  if (url === undefined) return undefined;
  return {
    ...own?.fields,
    type: 'url_citation',
    url_citation: { start_index: partStart + start, end_index: partStart + end, title, url },
  };
}
