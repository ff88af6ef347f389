/** The end of a stream of bytes, so far. */

import { NO_BYTES } from '../lib/bytes.ts';

export interface TrailingBytes {
  add(chunk: Uint8Array): void;
  /** The last bytes: as many as were asked for, up to twice as many, or all. Good until the next are added. */
  bytes(): Uint8Array;
}

/**
 * A copy: to keep the chunks themselves, of a slow stream with small ones, takes ten times the memory.
 * @param length how many of the last bytes are kept at least.
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
