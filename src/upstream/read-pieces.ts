/** What has come of one read from a vendor's socket. */

import { NO_BYTES } from '../lib/bytes.ts';
import { joined } from './net/to-buffer.ts';

/** The pieces of the current read: the first, and those after it, of which there are none as a rule. */
export class ReadPieces {
  #first: Uint8Array | undefined;
  #others: Uint8Array[] | undefined;

  isEmpty(): boolean {
    return this.#first === undefined;
  }

  add(piece: Uint8Array): void {
    if (this.#first === undefined) this.#first = piece;
    else if (this.#others === undefined) this.#others = [this.#first, piece];
    else this.#others.push(piece);
  }

  /** Takes them out, as one. */
  take(): Uint8Array {
    const bytes = this.#others === undefined ? (this.#first ?? NO_BYTES) : joined(this.#others);
    this.#first = undefined;
    this.#others = undefined;
    return bytes;
  }
}
