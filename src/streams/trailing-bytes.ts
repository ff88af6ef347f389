/** The last bytes of a stream so far. */

import { NO_BYTES } from '../lib/bytes.ts';

export interface TrailingBytes {
  add(chunk: Uint8Array): void;
  /** The last bytes: at least as many as requested, or all if there are fewer. Valid until the next `add`. */
  bytes(): Uint8Array;
}

/** How many bytes are held beyond those requested. When they are full, the last ones move to the beginning. */
const SLACK = 512;

/**
 * Makes the holder of a stream's end. It copies the bytes: to keep the chunks themselves, for a slow stream with small
 * ones, takes ten times the memory.
 * @param length how many bytes are kept at least.
 */
export function trailingBytes(length: number): TrailingBytes {
  let kept: Uint8Array | undefined;
  let size = 0;
  return {
    add(chunk) {
      kept ??= new Uint8Array(length + SLACK);
      if (chunk.byteLength >= length) {
        kept.set(chunk.subarray(-length));
        size = length;
        return;
      }
      if (size + chunk.byteLength > kept.length) {
        const rest = length - chunk.byteLength;
        kept.copyWithin(0, size - rest, size);
        size = rest;
      }
      kept.set(chunk, size);
      size += chunk.byteLength;
    },
    bytes: () => kept?.subarray(0, size) ?? NO_BYTES,
  };
}
