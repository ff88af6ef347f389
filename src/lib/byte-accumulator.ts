/** Bytes that come in pieces, as one block. */

import { NO_BYTES } from './bytes.ts';

export interface ByteAccumulator {
  size(): number;
  /** The number of bytes allocated, including room for more. */
  held(): number;
  add(piece: Uint8Array): void;
  /** All bytes so far; a single piece is returned itself. */
  whole(): Uint8Array;
}

/**
 * The first block, in bytes, if the length is unknown. Each later one is twice as large as its content, up to `most`.
 */
const FIRST_BLOCK = 256 * 1024;

/** The largest announced length that is allocated at once, in bytes: announcing more costs the sender nothing. */
const MOST_BELIEVED = 1024 * 1024;

/** The steps in which a block grows in place, in bytes. */
const STEP = 1024 * 1024;

/**
 * Makes an empty accumulator. Pieces are copied as they come, not kept: thousands of network buffers, kept until a
 * large body is complete, leave a heap so full of holes that the process never gives it back (32 MB bodies, ten at a
 * time: 300 MB for good).
 *
 * Nothing here is a getter: V8 gives each object that has one a hidden class and a table of its own, which are kept
 * until the next full collection. For an object made in every request, that was all of what outlived the request
 * (measured).
 * @param most the most bytes that will come.
 * @param expected the announced number of bytes; 0 if there is none.
 * @param growsInPlace whether more than MOST_BELIEVED bytes are kept in resizable memory. To move 16 MB into a larger
 *   block takes 10 ms at once, half of it for pages that are touched for the first time (measured); to resize takes
 *   nothing. Some web APIs, such as Response, refuse such memory in older versions of Node.
 */
export function byteAccumulator(most: number, expected = 0, growsInPlace = false): ByteAccumulator {
  let first: Uint8Array | undefined;
  let block: Uint8Array | undefined;
  let size = 0;
  let resizable: ArrayBuffer | undefined;

  const makeRoom = (least: number): Uint8Array => {
    if (growsInPlace && least > MOST_BELIEVED) {
      resizable ??= new ArrayBuffer(0, { maxByteLength: Math.max(most, least) });
      resizable.resize(Math.min(resizable.maxByteLength, Math.ceil(least / STEP) * STEP));
      return new Uint8Array(resizable, 0, resizable.byteLength);
    }
    const next = expected >= least && expected <= MOST_BELIEVED ? expected : Math.max(2 * least, FIRST_BLOCK);
    return new Uint8Array(Math.max(least, Math.min(most, next)));
  };

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
        const larger = makeRoom(grown);
        const known = block ?? first;
        if (known !== undefined && known.buffer !== larger.buffer) larger.set(known.subarray(0, size));
        block = larger;
        first = undefined;
      }
      block.set(piece, size);
      size = grown;
    },
    whole: () => first ?? block?.subarray(0, size) ?? NO_BYTES,
  };
}
