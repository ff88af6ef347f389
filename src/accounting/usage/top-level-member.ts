/**
 * What a response says of itself, without what it repeats. OpenAI's has all that was asked for in it: tools, schemas,
 * metadata. There the caller's words stand as the vendor's own do, and a usage or a tier among them would be taken for
 * what the answer took.
 */

import { LF } from '../../lib/bytes.ts';
import { OPEN_OBJECT, QUOTE } from '../../lib/json-bytes.ts';
import { jsonCursor, step } from '../../lib/json-cursor.ts';
import { toBuffer } from '../../upstream/net/to-buffer.ts';

/** What of a request tells that its answer may have such words: an MCP server's stand there as the caller's do. */
const NAMES = ['"usage"', '"service_tier"', '"mcp"'].map((name) => Buffer.from(name));

/** Letters and the low line, which nobody has to escape: any name may be hidden so. */
const ESCAPE = Buffer.from('\\u00');
const NEEDLESS = /\\u00(?:5f|6[1-9a-f]|7[0-9a])/i;

/** Within this, an object of the response's own is kept whole. */
const KEPT = Buffer.from('"usage"');

/** How much of a request is searched in one step, in bytes; a step begins OVERLAP before the end of the one before it. */
const STRETCH = 512 * 1024;
/** The length of the longest of NAMES. */
const OVERLAP = Math.max(...NAMES.map(({ length }) => length));

/**
 * Whether what answers a request of responses must be read so. To do it with all of them would cost every byte.
 * @param pieces of the request, which are cut within no name and no escape.
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

/** Takes an answer's bytes as they come. @returns of each piece what is of the response's own, its lists and objects empty. */
export function topLevelMember(): (piece: Uint8Array) => Uint8Array {
  /** How deep the response's own fields stand: in a stream it is in an event. */
  let own: number | undefined;
  let cursor = jsonCursor();
  /** How much of the last text there is KEPT; -1 where it is another. */
  let like = -1;
  let isKept = false;

  return (piece) => {
    own ??= piece[0] === OPEN_OBJECT ? 1 : 2;
    const left = Buffer.allocUnsafe(piece.byteLength);
    let length = 0;
    for (const byte of piece) {
      const { depth, isInString } = cursor;
      step(cursor, byte);
      if (cursor.depth > depth && depth === own) isKept = like === KEPT.length;
      // The brackets of what is left out stay.
      if (Math.min(depth, cursor.depth) <= own || isKept) left[length++] = byte;
      if (depth === own && (isInString || byte === QUOTE)) {
        if (!isInString) like = 0;
        like = byte === KEPT[like] ? like + 1 : -1;
      }
      // A line of an event stream is JSON of its own.
      if (byte === LF && own === 2) cursor = jsonCursor();
    }
    return left.subarray(0, length);
  };
}
