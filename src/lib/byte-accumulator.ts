/** Bytes that come in pieces, as one block. */

import { NO_BYTES } from './bytes.ts';

export interface ByteAccumulator {
  size(): number;
  /** Bytes that are held for it: room for more of it among them. */
  held(): number;
  add(piece: Uint8Array): void;
  /** All of it so far; of one piece, that piece. */
  whole(): Uint8Array;
}

/** The first block where nothing is known; after that each is twice as large as what is in it, up to `most`. */
const FIRST_BLOCK = 256 * 1024;

/** What is expected is believed up to here: it costs its sender nothing to say more. */
const MOST_BELIEVED = 1024 * 1024;

/**
 * Pieces are copied as they come, not kept: thousands of network buffers, kept until a large body is whole, leave a
 * heap so full of holes that the process never gives it back (32 MB bodies, ten at a time: 300 MB for good).
 *
 * Nothing here is a getter: V8 gives each object that has one a hidden class and a table of its own, which are kept until
 * the next full collection. Of one made for every request, that was all of what outlived its request (measured).
 * @param most how much will come at most, in bytes.
 * @param expected how much is said to come; 0 where nothing is said.
 */
export function byteAccumulator(most: number, expected = 0): ByteAccumulator {
  let first: Uint8Array | undefined;
  let block: Uint8Array | undefined;
  let size = 0;
  return {
    size: () => size,
    held: () => block?.length ?? size,
    add(piece) {
      if (size === 0) {
        first = piece;
        size = piece.length;
        return;
      }
      const grown = size + piece.length;
      if (block === undefined || block.length < grown) {
        const next =
          expected >= grown && expected <= MOST_BELIEVED ? expected : Math.max(2 * grown, FIRST_BLOCK);
        const larger = new Uint8Array(Math.max(grown, Math.min(most, next)));
        const known = block ?? first;
        if (known !== undefined) larger.set(known.subarray(0, size));
        block = larger;
        first = undefined;
      }
      block.set(piece, size);
      size = grown;
    },
    whole: () => first ?? block?.subarray(0, size) ?? NO_BYTES,
  };
}
