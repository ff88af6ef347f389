/**
 * A cursor over JSON that comes in pieces, cut anywhere: it knows how deep it stands and whether it is inside a string.
 * It takes bytes of UTF-8 or UTF-16 code units alike, because all that structures JSON is ASCII.
 */

import {
  afterString,
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  lastSeen,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './json-bytes.ts';

/** A value and no closures: it steps once for each byte. */
export interface JsonCursor {
  /** How many objects and lists are open. */
  depth: number;
  isInString: boolean;
  isEscaped: boolean;
}

/** A cursor before the first byte. */
export function jsonCursor(): JsonCursor {
  return { depth: 0, isInString: false, isEscaped: false };
}

/** Passes one byte or code unit. */
export function step(cursor: JsonCursor, code: number): void {
  if (cursor.isInString) {
    if (cursor.isEscaped) cursor.isEscaped = false;
    else if (code === BACKSLASH) cursor.isEscaped = true;
    else if (code === QUOTE) cursor.isInString = false;
  } else if (code === QUOTE) cursor.isInString = true;
  else if (code === OPEN_OBJECT || code === OPEN_LIST) cursor.depth += 1;
  else if (code === CLOSE_OBJECT || code === CLOSE_LIST) cursor.depth -= 1;
}

/** Passes a piece. The rest of a string is passed at once: most of an answer is in strings. */
export function passAll(cursor: JsonCursor, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at++) {
    step(cursor, bytes[at] ?? 0);
    if (!cursor.isInString || cursor.isEscaped) continue;
    const end = afterString(bytes, at);
    // The next byte is the closing quote, or a backslash that ends the piece.
    at = end < 0 ? lastSeen(bytes, at, bytes.length) : end - 2;
  }
}
