/**
 * Numbers that JSON.stringify writes differently after JSON.parse: `-0`, `1.0`, `1e-400`, and those with more digits
 * than a double has. The gateway only carries numbers, and must not respell them.
 */

import { MAX_ANSWER_DEPTH, MAX_TOKENS } from '../lib/json-bounds.ts';
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  closingQuote,
  EXACT_DIGITS,
  isDigit,
  isInNumber,
  MINUS,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '../lib/json-bytes.ts';

/** Whether JSON text has a number that JSON.stringify would write differently. Reads each character once. */
export function holdsInexactNumber(text: string): boolean {
  return checkNumbers(text, false) === 'inexact';
}

/**
 * Finds in one walk how JSON text may be parsed: `inexact` if it has a number that JSON.stringify would write differently,
 * `unbounded` if it is nested deeper or holds more tokens than the gateway reads (`json-bounds.ts`), `plain` otherwise.
 * @param isLimited whether the bounds count.
 */
export function checkNumbers(text: string, isLimited = true): 'plain' | 'inexact' | 'unbounded' {
  let tokens = 0;
  let depth = 0;
  let holdsInexact = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code === COMMA || code === COLON) tokens++;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      tokens++;
      depth++;
      if (isLimited && depth > MAX_ANSWER_DEPTH) return 'unbounded';
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
    else if (code === MINUS || isDigit(code)) {
      const start = at;
      let isWhole = true;
      for (let next = text.charCodeAt(at + 1); isInNumber(next); next = text.charCodeAt(at + 1)) {
        isWhole &&= isDigit(next);
        at++;
      }
      const isPlain = isWhole && code !== MINUS && at - start < EXACT_DIGITS;
      holdsInexact ||= !isPlain && isInexact(text.slice(start, at + 1));
    }
  }
  if (isLimited && tokens > MAX_TOKENS) return 'unbounded';
  return holdsInexact ? 'inexact' : 'plain';
}

/** Whether JSON.stringify would write a number differently. @param written its text. */
export function isInexact(written: string): boolean {
  return String(Number(written)) !== written;
}
