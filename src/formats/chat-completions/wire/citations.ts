/**
 * The `annotations` of a message as citations of its parts. Offsets of an annotation count over the text of the whole
 * message, those of a citation over the text of its part. Both are in UTF-16 code units.
 */

import type { Citation, TextPart } from '../../../conversation/prompt.ts';
import { asNumber, asObject, asText, compact, type JsonObject, otherFields } from '../../../lib/json.ts';
import type { Foreign } from '../../foreign.ts';

/**
 * An annotation as a citation of the part that begins at `partStart` of the message's text. The annotation itself is
 * kept in `formatSpecific`, so that no kind of annotation loses anything on its way back.
 * @param partEnd where the part ends, if that is known.
 */
export function parseAnnotation(annotation: JsonObject, partStart: number, partEnd = Infinity): Citation {
  const fields = asObject(annotation['url_citation']) ?? {};
  const start = asNumber(fields['start_index']);
  const end = asNumber(fields['end_index']);
  const isPlaced = start !== undefined && end !== undefined && start >= partStart && end >= start;
  return {
    ...compact({
      url: asText(fields['url']) || undefined,
      title: asText(fields['title']),
      citedText: asText(fields['content']),
    }),
    ...(isPlaced && { start: start - partStart, end: Math.min(end, partEnd) - partStart }),
    formatSpecific: { format: 'chat-completions', fields: annotation },
  };
}

/**
 * The citations of a message's texts as its annotations.
 * @param others gets those without a URL, for which there is no annotation.
 */
export function renderAnnotations(texts: readonly TextPart[], others?: Foreign): readonly JsonObject[] {
  let end = 0;
  return texts.flatMap(({ text: { length }, citations }) => {
    end += length;
    return citations ? annotate(citations, end - length, length, others) : [];
  });
}

/** What other formats have beside the type is inside `url_citation` here. */
const PLACED: ReadonlySet<string> = new Set(['url', 'title', 'start_index', 'end_index']);

/**
 * The citations of one text as annotations of the message.
 * @param start where the text begins in that of the message.
 * @param length the length of the text. A citation without offsets covers all of it.
 * @param others gets the citations without a URL.
 */
export function annotate(
  citations: readonly Citation[],
  start: number,
  length: number,
  others?: Foreign,
): readonly JsonObject[] {
  return citations.flatMap((citation): JsonObject | readonly JsonObject[] => {
    const { url, title = '', start: from = 0, end = length, formatSpecific } = citation;
    if (formatSpecific?.format === 'chat-completions') return formatSpecific.fields;
    if (url === undefined) {
      others?.cite(citation);
      return [];
    }
    const place = { start_index: start + from, end_index: start + end };
    const more = formatSpecific && otherFields(formatSpecific.fields, PLACED);
    return { ...more, type: 'url_citation', url_citation: { ...place, title, url } };
  });
}
