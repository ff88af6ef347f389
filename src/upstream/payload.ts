/**
 * The body of a request to a vendor: bytes in pieces, so that nothing is copied to change a few of them. A copy of 30 MB
 * holds the event loop for 15 ms, most of it for pages that are touched for the first time (measured).
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Edit } from '../lib/edit.ts';
import { joined, keptCopy } from './net/to-buffer.ts';

/** Fewer bytes than this are joined and sent as one: that takes less than a turn of the event loop for each piece. */
const LONG = 1024 * 1024;

/** Bytes from this length on are given to undici one slice after the other, so that it does not hold them. */
const READ_ONCE = 16 * 1024;

/** How much of a long body is written in one turn of the event loop, in bytes. */
const SLICE = 512 * 1024;

/** Shorter neighbours are joined, so that none of them takes a turn by itself. */
const SHORT = 64 * 1024;

export class Payload {
  /** A single one, unless the body is long. */
  readonly pieces: readonly Uint8Array[];
  readonly byteLength: number;

  /**
   * @param isOfStream whether the answer is a stream: undici keeps a body of fewer than `READ_ONCE` bytes until the answer
   * is complete.
   */
  constructor(pieces: readonly Uint8Array[], isOfStream = false) {
    let length = 0;
    for (const piece of pieces) length += piece.byteLength;
    this.byteLength = length;
    if (this.isLong()) {
      this.pieces = packed(pieces);
      return;
    }
    const bytes = joined(pieces);
    const isShared = bytes.byteLength < bytes.buffer.byteLength;
    this.pieces = [isOfStream && isShared && !this.isReadOnce() ? keptCopy(bytes) : bytes];
  }

  /** All of it, decoded as UTF-8. */
  toString(): string {
    return joined(this.pieces).toString();
  }

  /**
   * What is given to undici: the bytes, or slices of them; null if there are none. undici asks for the next slice when
   * the socket has taken the last. A socket takes several megabytes at once, which is a system call of some milliseconds.
   */
  forDispatch(): Uint8Array | AsyncIterable<Uint8Array> | null {
    if (this.byteLength === 0) return null;
    const [only] = this.pieces;
    return this.isReadOnce() || only === undefined ? new ReadOnce(this) : only;
  }

  /** Whether undici gets slices. The headers then have to say how long the body is. */
  isReadOnce(): boolean {
    return this.byteLength >= READ_ONCE;
  }

  isLong(): boolean {
    return this.byteLength >= LONG;
  }

  /** All of it, one slice in a turn of the event loop. */
  async *slices(): AsyncGenerator<Uint8Array> {
    for (const piece of this.pieces) {
      for (let at = 0; at < piece.byteLength; at += SLICE) {
        yield piece.subarray(at, at + SLICE);
        if (this.isLong()) await nextTurn();
      }
    }
  }

  /** Whether another one has the same bytes, wherever either is cut. */
  equals(other: Payload): boolean {
    if (this.byteLength !== other.byteLength) return false;
    let [mine, at] = [0, 0];
    for (const piece of other.pieces) {
      for (let from = 0; from < piece.byteLength; ) {
        const own = this.pieces[mine] ?? piece;
        const length = Math.min(own.byteLength - at, piece.byteLength - from);
        const isSame =
          Buffer.compare(own.subarray(at, at + length), piece.subarray(from, from + length)) === 0;
        if (!isSame) return false;
        from += length;
        at += length;
        if (at === own.byteLength) [mine, at] = [mine + 1, 0];
      }
    }
    return true;
  }
}

/** Joins short pieces that follow each other, up to a slice. */
function packed(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  const made: Uint8Array[] = [];
  let short: Uint8Array[] = [];
  let length = 0;
  const join = () => {
    if (short.length > 0) made.push(joined(short));
    short = [];
    length = 0;
  };
  for (const piece of pieces) {
    const isShort = piece.byteLength < SHORT;
    if (!isShort || length + piece.byteLength > SLICE) join();
    if (isShort) short.push(piece);
    else made.push(piece);
    length += isShort ? piece.byteLength : 0;
  }
  join();
  return made;
}

/**
 * The slices of a payload, for one reader. undici holds what it is given until the answer is complete, and of an open
 * stream that would be a whole dialogue.
 */
class ReadOnce implements AsyncIterable<Uint8Array> {
  #payload: Payload | undefined;

  constructor(payload: Payload) {
    this.#payload = payload;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const payload = this.#payload;
    if (payload === undefined) throw new TypeError('The body of a request is read once.');
    this.#payload = undefined;
    return payload.slices();
  }
}

/**
 * Makes a body of bytes with some of them changed.
 * @param edits in any order; they do not overlap.
 * @param isOfStream whether the answer is a stream.
 */
export function edited(bytes: Uint8Array, edits: readonly Edit[], isOfStream = false): Payload {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push(bytes.subarray(at, start), Buffer.from(text));
    at = end;
  }
  pieces.push(at === 0 ? bytes : bytes.subarray(at));
  return new Payload(pieces, isOfStream);
}
