/** The last bytes of a stream so far. */

import { concatBytes, latin1OfBytes } from '../lib/bytes.ts';

/**
 * Holds a stream's end. It copies the bytes: to keep the chunks themselves, for a slow stream with small ones, takes ten
 * times the memory. They go around in a ring, so each byte is written once and nothing is moved: of many streams at
 * once, none finds its bytes in the processor's cache again.
 */
export class TrailingBytes {
  /** How many bytes are kept. */
  readonly length: number;
  readonly #ring: Uint8Array;
  /** How many bytes are kept so far. */
  #size = 0;
  /** The place behind the last byte. */
  #end = 0;

  /**
   * @param ring where they are kept: as many as it has room for. Node's own bytes become a text without being copied
   *   first.
   */
  constructor(ring: Uint8Array) {
    this.length = ring.byteLength;
    this.#ring = ring;
  }

  add(chunk: Uint8Array): void {
    const { length } = this;
    const added = chunk.byteLength;
    if (added >= length) {
      // In its place from the start, so that nothing is joined to read it.
      this.#ring.set(chunk.subarray(added - length));
      this.#end = length;
      this.#size = length;
      return;
    }
    const room = length - this.#end;
    if (added <= room) {
      this.#ring.set(chunk, this.#end);
      this.#end += added;
    } else {
      this.#ring.set(chunk.subarray(0, room), this.#end);
      this.#ring.set(chunk.subarray(room));
      this.#end = added - room;
    }
    this.#size = Math.min(length, this.#size + added);
  }

  /** The last bytes: `length` of them, or all if there are fewer. Valid until the next `add`. */
  bytes(): Uint8Array {
    return this.last(this.length);
  }

  /** The last bytes: as many as requested, or all if there are fewer. Valid until the next `add`. */
  last(count: number): Uint8Array {
    const start = this.#end - Math.min(count, this.#size);
    if (start >= 0) return this.#ring.subarray(start, this.#end);
    return concatBytes([this.#ring.subarray(start), this.#ring.subarray(0, this.#end)]);
  }

  /** All of them, one character per byte. */
  latin1(): string {
    const start = this.#end - this.#size;
    if (start >= 0) return latin1OfBytes(this.#ring, start, this.#end);
    return latin1OfBytes(this.#ring, start + this.length) + latin1OfBytes(this.#ring, 0, this.#end);
  }
}
