/** The last bytes of a stream so far. */

import { concatBytes } from '../lib/bytes.ts';

export interface TrailingBytes {
  add(chunk: Uint8Array): void;
  /** The last bytes: as many as requested, or all if there are fewer. Valid until the next `add`. */
  bytes(): Uint8Array;
}

/**
 * Makes the holder of a stream's end. It copies the bytes: to keep the chunks themselves, for a slow stream with small
 * ones, takes ten times the memory. They go around in a ring, so each byte is written once and nothing is moved: of many
 * streams at once, none finds its bytes in the processor's cache again.
 * @param length how many bytes are kept.
 */
export function trailingBytes(length: number): TrailingBytes {
  const ring = new Uint8Array(length);
  /** The next byte goes to this place, modulo `length`. */
  let end = 0;
  return {
    add(chunk) {
      const last = chunk.byteLength > length ? chunk.subarray(-length) : chunk;
      const room = length - (end % length);
      end += last.byteLength;
      if (last.byteLength <= room) ring.set(last, length - room);
      else {
        ring.set(last.subarray(0, room), length - room);
        ring.set(last.subarray(room));
      }
    },
    bytes() {
      const at = end % length;
      return end < length ? ring.subarray(0, at) : concatBytes([ring.subarray(at), ring.subarray(0, at)]);
    },
  };
}
