/**
 * Numbers that JSON.stringify writes differently after JSON.parse: `-0`, `1.0`, `1e-400`, and those with more digits
 * than a double has. The gateway only carries numbers, and must not respell them.
 */

import { closingQuote, EXACT_DIGITS, isDigit, isInNumber, MINUS, QUOTE } from '../lib/json-bytes.ts';

/** Whether JSON text has a number that JSON.stringify would write differently. Reads each character once. */
export function holdsOddNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code === MINUS || isDigit(code)) {
      const start = at;
      let isWhole = true;
      for (let next = text.charCodeAt(at + 1); isInNumber(next); next = text.charCodeAt(at + 1)) {
        isWhole &&= isDigit(next);
        at++;
      }
      const isPlain = isWhole && code !== MINUS && at - start < EXACT_DIGITS;
      if (!isPlain && isOdd(text.slice(start, at + 1))) return true;
    }
  }
  return false;
}

/** Whether JSON.stringify would write a number differently. @param written its text. */
export function isOdd(written: string): boolean {
  return String(Number(written)) !== written;
}
