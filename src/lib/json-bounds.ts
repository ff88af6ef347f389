/**
 * How much JSON text may be parsed. JSON.parse of a hostile text takes a gigabyte and seconds (30 MB of `{}`: 1 GB, 5
 * s), while counting what it would make takes a nanosecond per character, so it is counted first.
 */

import { type Json, tryParseJson } from './json.ts';
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  closingQuote,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './json-bytes.ts';

/** The deepest nesting of a request; JSON.stringify and most validators fail long before a stack does. */
export const MAX_DEPTH = 128;

/** The deepest nesting of an answer, which may contain what was requested some levels further in. */
export const MAX_ANSWER_DEPTH = MAX_DEPTH + 8;

/** The most commas, colons and opening brackets: each may become an object in memory. */
export const MAX_TOKENS = 500_000;

/** The same for the body of an error, which is read several times: it may list what is wrong with a whole request. */
export const MAX_ERROR_TOKENS = 50_000;

/**
 * Counts the tokens of JSON text that MAX_TOKENS limits; those inside strings do not count.
 * @returns Infinity if the text is nested deeper than `maxDepth`.
 */
export function tokensIn(text: string, maxDepth = Number.POSITIVE_INFINITY): number {
  let tokens = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code === COMMA || code === COLON) tokens++;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      tokens++;
      if (++depth > maxDepth) return Number.POSITIVE_INFINITY;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
  }
  return tokens;
}

/**
 * Whether a vendor's JSON text is within the bounds for parsing. Most answers are text with few brackets around it: they
 * cannot be nested deeply, and a text has no more tokens than characters, so they are not walked.
 */
export function isBounded(text: string, maxTokens = MAX_TOKENS): boolean {
  if (text.length <= maxTokens && hasFewBrackets(text)) return true;
  return tokensIn(text, MAX_ANSWER_DEPTH) <= maxTokens;
}

/** Whether a text has no more opening brackets than an answer may have levels. */
function hasFewBrackets(text: string): boolean {
  let left = MAX_ANSWER_DEPTH;
  for (let at = text.indexOf('{'); at >= 0 && left >= 0; at = text.indexOf('{', at + 1)) left -= 1;
  for (let at = text.indexOf('['); at >= 0 && left >= 0; at = text.indexOf('[', at + 1)) left -= 1;
  return left >= 0;
}

/** Parses a vendor's JSON text; undefined if it is not JSON, or is out of bounds. */
export function tryParseBounded(text: string, maxTokens = MAX_TOKENS): Json | undefined {
  return isBounded(text, maxTokens) ? tryParseJson(text) : undefined;
}
