/** What has come of a stream of bytes and is not read yet, as one block, however small its pieces are. */

import { NO_BYTES } from '../lib/bytes.ts';

export interface Unread {
  /**
   * @returns all that is unread, this piece at its end: good until the next call. A piece to which nothing is added
   *   is not copied, so `take` has to follow.
   */
  add(piece: Uint8Array): Uint8Array;
  /** So many of those bytes have been read. What is left is kept as a copy: the piece it came in may be much larger. */
  take(count: number): void;
  size(): number;
  /** All that is unread: good until the next call. */
  bytes(): Uint8Array;
}

/**
 * Nothing as yet. The block doubles whenever it is full: to join what is held with every piece would copy the square
 * of what comes in small pieces.
 */
export function unread(): Unread {
  let block = NO_BYTES;
  let start = 0;
  let end = 0;
  /** Whether `block` is the piece itself, in which there is no room. */
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
