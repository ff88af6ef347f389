/**
 * Where the events of a stream end: behind an empty line (WHATWG HTML, 9.2.6). Lines end with LF, with CR, or with
 * both. A stream may be cut anywhere, also inside the line breaks that end an event.
 */

import { CR, forwardSearch, LF } from '../lib/bytes.ts';

/** The most bytes before the last one that belong to the line breaks which end an event. */
export const SEAM = 3;

/** Whether an event ends with the byte at `at`. A CR there may still be followed by the LF that belongs to it. */
function endsAt(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at];
  const before = bytes[at - 1];
  if (byte === CR) return before === CR;
  return byte === LF && (before === LF || (before === CR && bytes[at - 2] === LF));
}

/**
 * Makes a search for the first event that ends at or after a place; it returns the place behind it, or -1 if there is
 * none. Places must be asked for in ascending order.
 */
export function eventEndSearch(bytes: Uint8Array): (from: number) => number {
  const nextLf = forwardSearch(bytes, LF);
  const nextCr = forwardSearch(bytes, CR);
  return (from) => {
    for (let at = from; at < bytes.length; at++) {
      at = Math.min(nextLf(at), nextCr(at));
      if (endsAt(bytes, at)) return at + 1;
    }
    return -1;
  };
}

/** The place behind the last event that ends in the bytes; -1 if none does. */
export function lastEventEnd(bytes: Uint8Array): number {
  // Most pieces end with an event, and most streams have no CR. Nothing is searched for then.
  if (bytes[bytes.length - 1] === LF && endsEvent(bytes)) return bytes.length;
  let lf = bytes.lastIndexOf(LF);
  let cr = bytes.lastIndexOf(CR);
  while (lf > 0 || cr > 0) {
    const isLf = lf > cr;
    const at = isLf ? lf : cr;
    if (endsAt(bytes, at)) return at + 1;
    if (isLf) lf = bytes.lastIndexOf(LF, at - 1);
    else cr = bytes.lastIndexOf(CR, at - 1);
  }
  return -1;
}

/** Whether the last byte ends an event. */
export function endsEvent(bytes: Uint8Array): boolean {
  return endsAt(bytes, bytes.length - 1);
}

/** Finds the ends of events in pieces: an end whose line breaks begin in an earlier piece counts, too. */
export class EventEnds {
  /** The last SEAM bytes of what has passed; -1 before the first ones. Numbers, so nothing of a piece is held. */
  #third = -1;
  #second = -1;
  #last = -1;

  /** The place in the piece behind its first end of an event; -1 if it has none. */
  first(piece: Uint8Array): number {
    const across = this.#acrossSeam(piece);
    return across < 0 ? eventEndSearch(piece)(0) : across;
  }

  /** The place behind its last one. */
  last(piece: Uint8Array): number {
    const found = lastEventEnd(piece);
    return found < 0 ? this.#acrossSeam(piece) : found;
  }

  /** Goes on behind a piece, or a part of one. */
  pass(piece: Uint8Array): void {
    for (let at = Math.max(0, piece.length - SEAM); at < piece.length; at++) {
      this.#third = this.#second;
      this.#second = this.#last;
      this.#last = piece[at] ?? -1;
    }
  }

  /** The end that lies in the first bytes of a piece and begins before it; -1 if there is none. */
  #acrossSeam(piece: Uint8Array): number {
    const before = [this.#third, this.#second, this.#last].filter((byte) => byte >= 0);
    const joined = Uint8Array.of(...before, ...piece.subarray(0, SEAM));
    for (let at = before.length; at < joined.length; at++)
      if (endsAt(joined, at)) return at + 1 - before.length;
    return -1;
  }
}
