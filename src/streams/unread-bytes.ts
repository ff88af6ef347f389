/** The bytes of a stream that have not been consumed, as one block, however small their pieces are. */

import { NO_BYTES } from '../lib/bytes.ts';

export interface Unread {
  /**
   * Appends a piece.
   * @returns all unread bytes with this piece at their end, valid until the next call. A piece that comes alone is
   *   not copied, so `take` must follow.
   */
  add(piece: Uint8Array): Uint8Array;
  /**
   * Marks so many of those bytes as consumed. The rest is kept as a copy, because the piece it came in may be much
   * larger.
   */
  take(count: number): void;
  size(): number;
  /** All unread bytes, valid until the next call. */
  bytes(): Uint8Array;
}

/**
 * Makes an empty block. It doubles whenever it is full: to join what is held with every piece would copy the square of
 * what comes in small pieces.
 */
export function unread(): Unread {
  let block = NO_BYTES;
  let start = 0;
  let end = 0;
  /** Whether `block` is the piece itself, which has no room for more. */
  let isPiece = false;

  const copy = (room: number): void => {
    const larger = new Uint8Array(room);
    larger.set(block.subarray(start, end));
    block = larger;
    end -= start;
    start = 0;
    isPiece = false;
  };

  return {
    add(piece) {
      if (start === end) {
        block = piece;
        start = 0;
        end = block.length;
        isPiece = true;
        return block;
      }
      if (end + piece.byteLength > block.length) copy(2 * (end - start + piece.byteLength));
      block.set(piece, end);
      end += piece.byteLength;
      return block.subarray(start, end);
    },
    take(count) {
      start += count;
      if (start === end) {
        block = NO_BYTES;
        start = 0;
        end = 0;
      } else if (isPiece) copy(2 * (end - start));
    },
    size: () => end - start,
    bytes: () => block.subarray(start, end),
  };
}
