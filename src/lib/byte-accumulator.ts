/** Bytes that come in pieces, as one block. */

import { NO_BYTES } from './bytes.ts';

/**
 * The first block, in bytes, if the length is unknown. Each later one is twice as large as its content, up to `max`.
 */
const FIRST_BLOCK = 256 * 1024;

/** The largest announced length that is allocated at once, in bytes: announcing more costs the sender nothing. */
const MAX_PREALLOCATED = 1024 * 1024;

/** The steps in which a block grows in place, in bytes. */
const STEP = 1024 * 1024;

/** Who hears of pieces that are needed no more. */
export interface PieceOwner {
  /** The bytes of a piece have been copied. */
  copied(piece: Uint8Array): void;
}

/**
 * Gathers pieces. They are copied as they come, not kept: thousands of network buffers, kept until a large body is
 * complete, leave a heap so full of holes that the process never gives it back (32 MB bodies, ten at a time: 300 MB for
 * good). A single piece is kept as it is.
 */
export class ByteAccumulator {
  readonly #max: number;
  readonly #expected: number;
  readonly #growsInPlace: boolean;
  readonly #owner: PieceOwner | undefined;
  #first: Uint8Array | undefined;
  #block: Uint8Array | undefined;
  #size = 0;
  #resizable: ArrayBuffer | undefined;

  /**
   * @param max the most bytes that will come.
   * @param expected the announced number of bytes; 0 if there is none.
   * @param growsInPlace whether more than MAX_PREALLOCATED bytes are kept in resizable memory. To move 16 MB into a larger
   *   block takes 10 ms at once, half of it for pages that are touched for the first time (measured); to resize takes
   *   nothing. Some web APIs, such as Response, refuse such memory in older versions of Node.
   * @param owner of the pieces.
   */
  constructor(max: number, expected = 0, growsInPlace = false, owner?: PieceOwner) {
    this.#max = max;
    this.#expected = expected;
    this.#growsInPlace = growsInPlace;
    this.#owner = owner;
  }

  size(): number {
    return this.#size;
  }

  /** The number of bytes allocated, including room for more. */
  held(): number {
    return this.#block?.length ?? this.#size;
  }

  add(piece: Uint8Array): void {
    const size = this.#size;
    if (size === 0) {
      this.#first = piece;
      this.#size = piece.length;
      return;
    }
    const grown = size + piece.length;
    if (this.#block === undefined || this.#block.length < grown) {
      const larger = this.#makeRoom(grown);
      const known = this.#block ?? this.#first;
      if (known !== undefined && known.buffer !== larger.buffer) larger.set(known.subarray(0, size));
      this.#block = larger;
      if (this.#first !== undefined) this.#owner?.copied(this.#first);
      this.#first = undefined;
    }
    this.#block.set(piece, size);
    this.#size = grown;
    this.#owner?.copied(piece);
  }

  /** All bytes so far; a single piece is returned itself. */
  whole(): Uint8Array {
    return this.#first ?? this.#block?.subarray(0, this.#size) ?? NO_BYTES;
  }

  #makeRoom(least: number): Uint8Array {
    const max = this.#max;
    const expected = this.#expected;
    if (this.#growsInPlace && least > MAX_PREALLOCATED) {
      this.#resizable ??= new ArrayBuffer(0, { maxByteLength: Math.max(max, least) });
      const resizable = this.#resizable;
      resizable.resize(Math.min(resizable.maxByteLength, Math.ceil(least / STEP) * STEP));
      return new Uint8Array(resizable, 0, resizable.byteLength);
    }
    const next =
      expected >= least && expected <= MAX_PREALLOCATED ? expected : Math.max(2 * least, FIRST_BLOCK);
    return new Uint8Array(Math.max(least, Math.min(max, next)));
  }
}
