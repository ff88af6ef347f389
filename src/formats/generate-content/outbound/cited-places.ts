/**
 * Places in a text. Gemini gives them in bytes of UTF-8 (REST reference, Segment and CitationSource); the neutral ones
 * count UTF-16 code units.
 */

import { asNumber, type JsonObject } from '../../../lib/json.ts';
import { utf8Length } from '../../../lib/utf8.ts';

/** Offsets in UTF-16 code units; `end` is the first one that is not part of it. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds places in one text. */
export interface Places {
  /** The place between `startIndex` and `endIndex`; undefined if they do not lie in the text. */
  parse(place: JsonObject): Range | undefined;
  /**
   * The place of a segment. Its offsets count only if the quoted text stands there, since they may have counted other
   * parts too; if it does not, the text is searched for the quotation.
   */
  find(segment: JsonObject, quoted: string | undefined): Range | undefined;
}

/**
 * How often a text may be searched to its end, all in all. A hostile stream may quote thousands of texts that do not
 * stand in it.
 */
const MAX_SEARCHES = 64;

/** The places of a text. Their cost is bounded by a multiple of its length, plus a constant for each place. */
export function placesIn(text: string): Places {
  const findUnit = utf16Offsets(text);
  let left = MAX_SEARCHES * text.length;

  const search = (quoted: string): number => {
    if (left <= 0) return -1;
    const found = text.indexOf(quoted);
    left -= found < 0 ? text.length : found;
    return found;
  };

  const parse = (place: JsonObject): Range | undefined => {
    const start = findUnit(asNumber(place['startIndex']) ?? 0);
    const end = findUnit(asNumber(place['endIndex']) ?? -1);
    return start !== undefined && end !== undefined && start <= end ? { start, end } : undefined;
  };

  return {
    parse,
    find(segment, quoted) {
      const range = parse(segment);
      if (range && (quoted === undefined || text.slice(range.start, range.end) === quoted)) return range;
      if (!quoted) return undefined;
      const found = search(quoted);
      return found < 0 ? undefined : { start: found, end: found + quoted.length };
    },
  };
}

/** Finds the code unit that starts at a byte; undefined if neither a character nor the text's end is there. */
function utf16Offsets(text: string): (byte: number) => number | undefined {
  const bytes = utf8Length(text);
  if (bytes === text.length) return (byte) => (byte >= 0 && byte <= bytes ? byte : undefined);
  const units = new Map<number, number>();
  let byte = 0;
  let unit = 0;
  for (const character of text) {
    units.set(byte, unit);
    byte += countBytes(character.codePointAt(0) ?? 0);
    unit += character.length;
  }
  units.set(byte, unit);
  return (at) => units.get(at);
}

/** The length of a character in UTF-8 (RFC 3629, 3). Half of a surrogate pair becomes U+FFFD, which has three bytes. */
function countBytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
