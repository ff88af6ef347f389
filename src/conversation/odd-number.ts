/**
 * Numbers that JSON.stringify writes differently after JSON.parse: `-0`, `1.0`, `1e-400`, and those with more digits
 * than a double has. The gateway only carries numbers, and must not respell them.
 */

import { closingQuote, QUOTE } from '../lib/json-bytes.ts';

const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const E = 0x65;
/** The bit that makes an ASCII letter lower case. */
const SMALL = 0x20;

/** Every whole number with at most this many digits is exact in a double, and written as it was read. */
const EXACT_DIGITS = 15;

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

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Whether a character may continue a number. False for NaN, which stands for the end of the text. */
function isInNumber(code: number): boolean {
  return isDigit(code) || code === POINT || code === MINUS || code === PLUS || (code | SMALL) === E;
}
