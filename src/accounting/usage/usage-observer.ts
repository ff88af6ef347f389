/** Reads a vendor's usage off the bytes that pass by: what is kept of them, and when they are searched. */

import type { UsageField } from '../../conversation/tokens.ts';
import { NO_BYTES } from '../../lib/bytes.ts';
import { TrailingBytes } from '../../streams/trailing-bytes.ts';
import { toBuffer } from '../../upstream/net/to-buffer.ts';
import { lastTier, listFields, MARKS, type Marks, noFields, searchUsage } from './usage-search.ts';

/**
 * How many bytes wait for a search at most: a stream that comes word by word costs one search for some words. So many
 * bytes that come at once are worth a search of their own, where they lie.
 */
const ENOUGH = 1024;

/** Takes an answer piece by piece, and keeps of it what tells the usage. */
export class UsageObserver {
  readonly #marks: Marks;
  /** Whether the service tier is looked for, and the last one so far. */
  readonly #isTiered: boolean;
  #tier: Buffer | undefined;
  /** The first and the last field so far. */
  #fields = noFields();
  /** The end of the answer so far. */
  #tail: TrailingBytes | undefined;
  /** Whether somebody else writes to `#tail`. */
  readonly #isShared: boolean;
  /** The first piece, which of a short answer is the only one. It is never copied then. */
  #held: Uint8Array | undefined;
  /** How many bytes of it were searched, because all has come. */
  #searched = 0;
  /** How many of the last bytes wait for a search. */
  #waiting = 0;
  /** These bytes, if they are more than the end that is kept: the beginning of a long field. */
  #long: Buffer | undefined;

  /**
   * @param field the name of the usage in the vendor's format.
   * @param isTiered whether the service tier is looked for: every byte is then searched once more.
   * @param shared the end of the answer, if another observer keeps it too. Each piece is added to it by its owner, after
   *   it was given to `add`.
   */
  constructor(field: UsageField, isTiered = false, shared?: TrailingBytes) {
    this.#marks = MARKS[field];
    this.#isTiered = isTiered;
    this.#tail = shared;
    this.#isShared = shared !== undefined;
  }

  /** Takes the next bytes of the answer. They are kept until there are enough of them for a search. */
  add(bytes: Uint8Array): void {
    if (this.#isShared) this.#take(bytes);
    else if (this.#held === undefined && this.#tail === undefined) this.#held = bytes;
    else {
      this.#copyHeld();
      this.#copy(bytes);
    }
  }

  /**
   * Bytes in which `usageIn` finds the same as in the whole answer: the first and the last field so far, and what was
   * not searched yet. They are valid until the next piece comes.
   */
  remains(): readonly Uint8Array[] {
    if (this.#held !== undefined && this.#held.byteLength > ENOUGH) this.#searchHeld(toBuffer(this.#held));
    const remains = listFields(this.#fields);
    if (this.#tier !== undefined) remains.push(this.#tier);
    const unsearched = this.#unsearched();
    if (unsearched.byteLength > 0) remains.push(unsearched);
    return remains;
  }

  /** The end of the answer so far: some events of it, if it is a stream. */
  end(): Uint8Array {
    return this.#held ?? this.#tail?.bytes() ?? NO_BYTES;
  }

  /**
   * Releases all that is kept, after the last use. An observer is as old as its exchange: until it is collected itself,
   * it would keep alive whatever it refers to.
   */
  release(): void {
    this.#forgetHeld();
    this.#tier = undefined;
    this.#tail = undefined;
    this.#waiting = 0;
    this.#long = undefined;
  }

  /** Searches the only piece where it lies. What is found is kept no longer than the piece, so it is not copied. */
  #searchHeld(bytes: Buffer): void {
    this.#fields = noFields();
    this.#searched = searchUsage(bytes, this.#marks, this.#fields, false);
    if (this.#isTiered) this.#tier = lastTier(bytes);
  }

  #copyHeld(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#forgetHeld();
    this.#copy(held);
  }

  /** Forgets the first piece, and what was found in it. */
  #forgetHeld(): void {
    this.#held = undefined;
    this.#searched = 0;
    this.#fields = noFields();
  }

  #copy(bytes: Uint8Array): void {
    this.#tail ??= new TrailingBytes(Buffer.allocUnsafeSlow(ENOUGH));
    this.#take(bytes);
    this.#tail.add(bytes);
  }

  /** Counts bytes as waiting, or searches them. The end that is kept does not have them yet. */
  #take(bytes: Uint8Array): void {
    if (this.#waiting === 0 && bytes.byteLength >= ENOUGH) {
      this.#search(toBuffer(bytes));
      return;
    }
    if (bytes.byteLength > this.#room()) this.#search(this.#unsearched());
    if (bytes.byteLength > this.#room()) {
      this.#search(this.#waiting === 0 ? toBuffer(bytes) : Buffer.concat([this.#unsearched(), bytes]));
      return;
    }
    this.#long?.set(bytes, this.#waiting);
    this.#waiting += bytes.byteLength;
  }

  /** For how many bytes more the search can wait. */
  #room(): number {
    return (this.#long?.length ?? this.#kept()) - this.#waiting;
  }

  /** How many of the last bytes are kept in any case. */
  #kept(): number {
    return this.#tail?.length ?? ENOUGH;
  }

  #unsearched(): Buffer {
    if (this.#held !== undefined) return toBuffer(this.#held).subarray(this.#searched);
    const waiting = this.#waiting;
    return toBuffer(this.#long?.subarray(0, waiting) ?? this.#tail?.last(waiting) ?? NO_BYTES);
  }

  /** Searches bytes, of which those go on waiting that may be the beginning of a field. */
  #search(bytes: Buffer): void {
    const from = searchUsage(bytes, this.#marks, this.#fields, true);
    if (this.#isTiered) this.#tier = lastTier(bytes) ?? this.#tier;
    this.#waiting = bytes.length - from;
    this.#long = this.#waiting > this.#kept() ? Buffer.allocUnsafeSlow(this.#waiting + ENOUGH) : undefined;
    if (this.#long !== undefined) bytes.copy(this.#long, 0, from);
  }
}
