/**
 * The `annotations` of a message as citations of its parts. Offsets of an annotation count over the text of the whole
 * message, those of a citation over the text of its part. Both are in UTF-16 code units.
 */

import type { Citation, TextPart } from '../../../conversation/prompt.ts';
import { asNumber, asObject, asText, compact, type JsonObject } from '../../../lib/json.ts';

/**
 * An annotation as a citation of the part that begins at `partStart` of the message's text. The annotation itself is
 * kept in `formatSpecific`, so that no kind of annotation loses anything on its way back.
 */
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

/** All citations of a message's texts as its annotations, and those without a URL, for which there is no annotation. */
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
 * A citation of a part as an annotation of the message; undefined if it has no URL.
 * @param partStart where the part begins in the message's text.
 * @param length the length of the part. A citation without offsets covers all of it.
 */
export function renderAnnotation(
  citation: Citation,
  partStart: number,
  length: number,
): JsonObject | undefined {
  const { url, title = '', start = 0, end = length, formatSpecific } = citation;
  if (formatSpecific?.format === 'chat-completions') return formatSpecific.fields;
  if (url === undefined) return undefined;
  return {
    ...formatSpecific?.fields,
    type: 'url_citation',
    url_citation: { start_index: partStart + start, end_index: partStart + end, title, url },
  };
}
