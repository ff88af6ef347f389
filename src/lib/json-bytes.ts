/**
 * The byte cursor that all readers of JSON bytes share (RFC 8259). Each function takes a place and returns the place
 * behind what it has passed, so no reader looks at a byte twice: a look-ahead that is repeated from every byte makes
 * the cost of a body the square of its length.
 */

/** The place of a value: its first byte, and the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The bytes that structure JSON (RFC 8259, section 2). */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const COMMA = 0x2c;
export const COLON = 0x3a;

export const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const E = 0x65;
/** The bit that makes an ASCII letter lower case. */
const SMALL = 0x20;

/** Every whole number with at most this many digits is exact in a double, and written as it was read. */
export const EXACT_DIGITS = 15;

/**
 * How far away a quote must be for a memchr to be worth its call, and how long to go on without one if it is nearer.
 */
const NEAR = 64;
export const STRETCH = 1024;

/** Whether a byte, or a UTF-16 code unit, is white space of JSON (RFC 8259, section 2). */
export function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Whether a string whose first byte is this one may hold JSON itself. An escape may stand for space or a quote. */
export function mayHoldJson(first: number | undefined): boolean {
  return first === OPEN_OBJECT || first === OPEN_LIST || first === BACKSLASH || isSpace(first);
}

/** Whether a byte, or a UTF-16 code unit, is a digit. False for undefined and NaN, which stand for the end. */
export function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= ZERO && code <= NINE;
}

/** Whether a byte, or a UTF-16 code unit, may continue a number (RFC 8259, section 6). */
export function isInNumber(code: number | undefined): boolean {
  if (code === undefined) return false;
  return isDigit(code) || code === POINT || code === MINUS || code === PLUS || (code | SMALL) === E;
}

/** The first place at or after `from` that is not white space; at most `end`. */
export function afterSpace(bytes: Uint8Array, from: number, end = bytes.length): number {
  let at = from;
  while (at < end && isSpace(bytes[at])) at++;
  return at;
}

/** The place behind the last byte before `end` that is not white space. */
export function beforeSpace(bytes: Uint8Array, end: number): number {
  let at = end;
  while (at > 0 && isSpace(bytes[at - 1])) at--;
  return at;
}

/**
 * The place behind a string's closing quote, or -1 if `end` comes first. `start` is its opening quote. Where quotes are
 * rare the search jumps from one to the next, otherwise it goes byte by byte for a while: each way is four times as
 * fast as the other on what suits it.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one search in two gaits, which share their place.
export function afterString(bytes: Uint8Array, start: number, end = bytes.length): number {
  let at = start + 1;
  for (let stop = at + NEAR; at < end; ) {
    for (const until = Math.min(end, stop); at < until; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) at++;
    }
    const quote = quoteIn(bytes, at, end);
    if (quote < 0) break;
    let before = quote - 1;
    while (before >= at && bytes[before] === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
    stop = quote + 1 + (quote - at < NEAR ? STRETCH : 0);
    at = quote + 1;
  }
  return -1;
}

/**
 * The place behind a value's last byte, or -1 if `end` comes first. An object or a list ends where its brackets are
 * balanced, whatever is between them; any other value before the next comma, bracket or white space.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a state machine over bytes with one variable.
export function afterValue(bytes: Uint8Array, start: number, end = bytes.length): number {
  const first = bytes[start];
  if (first === QUOTE) return afterString(bytes, start, end);
  let depth = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = afterString(bytes, at, end) - 1;
      if (at < 0) return -1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth--;
      if (depth <= 0) return depth < 0 ? at : at + 1;
    } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return at;
  }
  return -1;
}

/**
 * The next quote before `end`. It does not search beyond that, since the same bytes would be searched again and again.
 */
function quoteIn(bytes: Uint8Array, at: number, end: number): number {
  if (end === bytes.length) return bytes.indexOf(QUOTE, at);
  const found = bytes.subarray(at, end).indexOf(QUOTE);
  return found < 0 ? -1 : at + found;
}

/** How far to go character by character before a search, which takes as long as that in a text. */
export const NEAR_IN_TEXT = 16;
/** So many quotes that near to each other mean that more will follow. */
export const MANY = 4;

/**
 * The end of the string in a JSON text that begins at `start`: its closing quote, or the end of the text if there is
 * none.
 */
export function closingQuote(text: string, start: number): number {
  let at = start + 1;
  for (const until = Math.min(at + NEAR_IN_TEXT, text.length); at < until; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return farQuote(text, at);
}

/** The same from a place inside the string. By itself, so that V8 inlines the other one. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one search in two gaits, which share their place.
function farQuote(text: string, from: number): number {
  let at = from;
  for (let near = 0; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let before = quote - 1;
    while (before >= at && text.charCodeAt(before) === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote;
    near = quote - at < NEAR_IN_TEXT ? near + 1 : 0;
    at = quote + 1;
    if (near < MANY) continue;
    for (const until = Math.min(at + STRETCH, text.length); at < until; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at;
      if (code === BACKSLASH) at++;
    }
  }
}

/** Whether one of these bytes is a backslash. */
export function hasBackslash(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

/**
 * The last byte before `stop` that need not be looked at again, inside of a string that goes on. A backslash that begins
 * an escape is looked at together with the byte behind it. `from` is such a byte itself, so no backslash before it counts.
 */
export function lastSeen(bytes: Uint8Array, from: number, stop: number): number {
  let at = stop - 1;
  while (at > from && bytes[at] === BACKSLASH) at--;
  return (stop - 1 - at) % 2 === 1 ? stop - 2 : stop - 1;
}
