/** The last bytes of a stream so far. */

import { concatBytes } from '../lib/bytes.ts';

/**
 * Holds a stream's end. It copies the bytes: to keep the chunks themselves, for a slow stream with small ones, takes ten
 * times the memory. They go around in a ring, so each byte is written once and nothing is moved: of many streams at
 * once, none finds its bytes in the processor's cache again.
 */
export class TrailingBytes {
  /** How many bytes are kept. */
  readonly length: number;
  readonly #ring: Uint8Array;
  /** The next byte goes to this place, modulo the ring's length. */
  #end = 0;

  constructor(length: number) {
    this.length = length;
    this.#ring = new Uint8Array(length);
  }

  add(chunk: Uint8Array): void {
    const { length } = this.#ring;
    const last = chunk.byteLength > length ? chunk.subarray(-length) : chunk;
    const room = length - (this.#end % length);
    this.#end += last.byteLength;
    if (last.byteLength <= room) this.#ring.set(last, length - room);
    else {
      this.#ring.set(last.subarray(0, room), length - room);
      this.#ring.set(last.subarray(room));
    }
  }

  /** The last bytes: `length` of them, or all if there are fewer. Valid until the next `add`. */
  bytes(): Uint8Array {
    return this.last(this.length);
  }

  /** The last bytes: as many as requested, or all if there are fewer. Valid until the next `add`. */
  last(count: number): Uint8Array {
    const ring = this.#ring;
    const at = this.#end % ring.length;
    const start = at - Math.min(count, this.#end, ring.length);
    return start >= 0 ? ring.subarray(start, at) : concatBytes([ring.subarray(start), ring.subarray(0, at)]);
  }
}
