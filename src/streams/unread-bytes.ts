/** The bytes of a stream that have not been consumed, as one block, however small their pieces are. */

import { NO_BYTES } from '../lib/bytes.ts';

/**
 * The block. It doubles whenever it is full: to join what is held with every piece would copy the square of what comes
 * in small pieces.
 */
export class UnreadBytes {
  #block = NO_BYTES;
  #start = 0;
  #end = 0;
  /** Whether the block is the piece itself, which has no room for more. */
  #isPiece = false;

  /**
   * Appends a piece.
   * @returns all unread bytes with this piece at their end, valid until the next call. A piece that comes alone is
   *   not copied, so `take` must follow.
   */
  add(piece: Uint8Array): Uint8Array {
    if (this.#start === this.#end) {
      this.#block = piece;
      this.#start = 0;
      this.#end = piece.length;
      this.#isPiece = true;
      return piece;
    }
    if (this.#end + piece.byteLength > this.#block.length) this.#copy(2 * (this.size() + piece.byteLength));
    this.#block.set(piece, this.#end);
    this.#end += piece.byteLength;
    return this.bytes();
  }

  /**
   * Marks so many of those bytes as consumed. The rest is kept as a copy, because the piece it came in may be much
   * larger.
   */
  take(count: number): void {
    this.#start += count;
    if (this.#start === this.#end) {
      this.#block = NO_BYTES;
      this.#start = 0;
      this.#end = 0;
    } else if (this.#isPiece) this.#copy(2 * this.size());
  }

  size(): number {
    return this.#end - this.#start;
  }

  /** All unread bytes, valid until the next call. */
  bytes(): Uint8Array {
    return this.#block.subarray(this.#start, this.#end);
  }

  #copy(room: number): void {
    const larger = new Uint8Array(room);
    larger.set(this.bytes());
    this.#block = larger;
    this.#end = this.size();
    this.#start = 0;
    this.#isPiece = false;
  }
}
