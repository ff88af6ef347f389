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

/** Whether JSON text has a number that JSON.stringify would write differently. Takes one walk. */
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
    switch (code) {
      case QUOTE:
        at = closingQuote(text, at);
        break;
      case COMMA:
      case COLON:
        tokens++;
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        tokens++;
        depth++;
        if (isLimited && depth > MAX_ANSWER_DEPTH) return 'unbounded';
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth--;
        break;
      default:
        if (code === MINUS || isDigit(code)) {
          const end = afterNumber(text, at + 1);
          holdsInexact ||= !isExactInteger(text, at, end) && isInexact(text.slice(at, end));
          at = end - 1;
        }
    }
  }
  if (isLimited && tokens > MAX_TOKENS) return 'unbounded';
  return holdsInexact ? 'inexact' : 'plain';
}

/** The end of a number. @param from a place in it, or its end. */
function afterNumber(text: string, from: number): number {
  let end = from;
  while (isInNumber(text.charCodeAt(end))) end++;
  return end;
}

/** Whether a number is a whole one, without a sign, of so few digits that each such number is exact. */
function isExactInteger(text: string, start: number, end: number): boolean {
  if (end - start > EXACT_DIGITS) return false;
  for (let at = start; at < end; at++) if (!isDigit(text.charCodeAt(at))) return false;
  return true;
}

/** Whether JSON.stringify would write a number differently. @param written its text. */
export function isInexact(written: string): boolean {
  return String(Number(written)) !== written;
}
