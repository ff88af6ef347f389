/**
 * Neutral citations, whose offsets count from the start of a part. Gemini counts from the start of the whole answer.
 */

import type { Citation } from '../../../conversation/prompt.ts';

/** A citation with its offsets moved. @param by UTF-16 code units to add. */
export function shiftCitation(citation: Citation, by: number): Citation {
  const { start, end, ...rest } = citation;
  return start === undefined || end === undefined ? rest : { ...rest, start: start + by, end: end + by };
}

/**
 * A citation of a part with its place in the whole answer. One without offsets is of the whole part.
 * @param before the length of all text before the part. @param length that of the part.
 */
export function placeCitation(citation: Citation, before: number, length: number): Citation {
  const isPlaced = length === 0 || (citation.start !== undefined && citation.end !== undefined);
  return shiftCitation(isPlaced ? citation : { ...citation, start: 0, end: length }, before);
}
