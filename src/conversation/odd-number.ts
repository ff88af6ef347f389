/**
 * Numbers that JSON.parse and JSON.stringify change between them: `-0`, `1.0`, `1e-400`, one with more digits than a
 * double has. Who only carries a number must not respell it.
 */

import { closingQuote, QUOTE } from '../lib/json-bytes.ts';

const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const E = 0x65;
/** What makes a capital letter of ASCII a small one. */
const SMALL = 0x20;

/** Every whole number of so many digits is a double, and is written as it is read. */
const EXACT_DIGITS = 15;

/** Whether JSON text has a number that would be written in another way. Each character is looked at once. */
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

/** Whether a number's text is not what JSON.stringify would write for it. */
export function isOdd(written: string): boolean {
  return String(Number(written)) !== written;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** NaN, behind the end of the text, is none of these. */
function isInNumber(code: number): boolean {
  return isDigit(code) || code === POINT || code === MINUS || code === PLUS || (code | SMALL) === E;
}
