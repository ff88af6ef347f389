/**
 * Neutral citations, whose offsets count from the start of a part. Gemini counts from the start of the whole answer.
 */

import type { Citation } from '../../../conversation/prompt.ts';

/**
 * A citation with its offsets moved.
 * @param by UTF-16 code units to add. A citation that would then begin before 0 loses its offsets.
 */
export function shiftCitation(citation: Citation, by: number): Citation {
  const { start, end, ...rest } = citation;
  return start === undefined || end === undefined || start + by < 0
    ? rest
    : { ...rest, start: start + by, end: end + by };
}
