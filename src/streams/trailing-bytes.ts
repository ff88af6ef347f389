/** The last bytes of a stream so far. */

import { NO_BYTES } from '../lib/bytes.ts';

export interface TrailingBytes {
  add(chunk: Uint8Array): void;
  /**
   * The last bytes: at least as many as requested and at most twice as many, or all if there are fewer. Valid until the
   * next `add`.
   */
  bytes(): Uint8Array;
}

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
      kept ??= new Uint8Array(2 * length);
      if (chunk.byteLength >= length) {
        kept.set(chunk.subarray(-length));
        size = length;
        return;
      }
      if (size + chunk.byteLength > kept.length) {
        kept.copyWithin(0, size - length, size);
        size = length;
      }
      kept.set(chunk, size);
      size += chunk.byteLength;
    },
    bytes: () => kept?.subarray(0, size) ?? NO_BYTES,
  };
}
