/**
 * The response's own fields, without what it repeats of the request. OpenAI's responses contain everything that was asked
 * for: tools, schemas, metadata. A `usage` or a `service_tier` among the caller's words there would be taken for the
 * vendor's own.
 */

import { LF } from '../../lib/bytes.ts';
import { OPEN_OBJECT, QUOTE } from '../../lib/json-bytes.ts';
import { jsonCursor, step } from '../../lib/json-cursor.ts';
import { toBuffer } from '../../upstream/net/to-buffer.ts';

/** A request with one of these may have an answer with such words: an MCP server's words are repeated as the caller's are. */
const NAMES = ['"usage"', '"service_tier"', '"mcp"'].map((name) => Buffer.from(name));

/** An escaped letter or underscore, which need no escape: any name may be hidden by them. */
const ESCAPE = Buffer.from('\\u00');
const NEEDLESS = /\\u00(?:5f|6[1-9a-f]|7[0-9a])/i;

/** The only field of the response whose object is kept whole. */
const KEPT = Buffer.from('"usage"');

/** How much of a request is searched in one step, in bytes; a step begins OVERLAP before the end of the one before it. */
const STRETCH = 512 * 1024;
/** The length of the longest of NAMES. */
const OVERLAP = Math.max(...NAMES.map(({ length }) => length));

/**
 * Whether the answer to a request of responses must be reduced to its own fields. To do that with every answer would cost
 * time for each byte.
 * @param pieces of the request. They are not cut inside a name or an escape.
 */
export function* mayRepeat(pieces: readonly Uint8Array[]): Generator<undefined, boolean> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += STRETCH) {
      if (hasNames(toBuffer(piece).subarray(at, at + STRETCH + OVERLAP))) return true;
      yield;
    }
  }
  return false;
}

function hasNames(bytes: Buffer): boolean {
  if (NAMES.some((name) => bytes.includes(name))) return true;
  return bytes.includes(ESCAPE) && NEEDLESS.test(bytes.toString('latin1'));
}

/**
 * Returns a function that takes the pieces of an answer, and returns what is left of each: the response's own fields, of
 * which lists and objects are empty except for the usage.
 */
export function keepTopLevel(): (piece: Uint8Array) => Uint8Array {
  /** The depth of the response's own fields: in a stream, the response is inside an event. */
  let ownDepth: number | undefined;
  let cursor = jsonCursor();
  /** How many bytes of the last text at that depth are those of KEPT; -1 if it is another text. */
  let matched = -1;
  let isKept = false;

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a state machine over bytes, whose steps belong together.
  return (piece) => {
    ownDepth ??= piece[0] === OPEN_OBJECT ? 1 : 2;
    const kept = Buffer.allocUnsafe(piece.byteLength);
    let length = 0;
    for (const byte of piece) {
      const { depth, isInString } = cursor;
      step(cursor, byte);
      if (cursor.depth > depth && depth === ownDepth) isKept = matched === KEPT.length;
      // Of a list or an object that is left out, the brackets stay.
      if (Math.min(depth, cursor.depth) <= ownDepth || isKept) kept[length++] = byte;
      if (depth === ownDepth && (isInString || byte === QUOTE)) {
        if (!isInString) matched = 0;
        matched = byte === KEPT[matched] ? matched + 1 : -1;
      }
      // A line of an event stream is JSON of its own.
      if (byte === LF && ownDepth === 2) cursor = jsonCursor();
    }
    return kept.subarray(0, length);
  };
}
