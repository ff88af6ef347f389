/**
 * The bytes of JSON read four at a time, for strings that are full of quotes. Prose with quoted speech takes 0.6 ns a byte
 * in place of 1.45, where each quote took a search of its own.
 */

import { BACKSLASH, QUOTE } from './json-bytes.ts';

/** A byte repeated in each of the four. */
const EACH = 0x01010101;
const QUOTES = QUOTE * EACH;
const BACKSLASHES = BACKSLASH * EACH;
const LOW_BITS = 0x7f * EACH;

/** Whether the first byte in memory is the lowest of a number, as on nearly every machine. */
const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

const NO_WORDS = new Int32Array();

/** The bytes of a JSON text, also as numbers of four bytes. */
export class ByteWords {
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  /** The place of the first word: numbers of four bytes lie where the memory's address is a multiple of four. */
  readonly #first: number;

  constructor(bytes: Uint8Array) {
    const { buffer, byteOffset, length } = bytes;
    this.#bytes = bytes;
    this.#first = -byteOffset & 3;
    const count = LITTLE_ENDIAN ? (length - this.#first) >> 2 : 0;
    this.#words = count > 0 ? new Int32Array(buffer, byteOffset + this.#first, count) : NO_WORDS;
  }

  /**
   * Looks for the end of a string.
   * @param from a place inside the string that no escape reaches over.
   * @param until where the search ends.
   * @returns the place behind the closing quote; or, if it is not before `until`, the complement (`~`) of the place to go
   *   on from, which may be one byte behind `until`.
   */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one search in two gaits, by words and by bytes, with the same place.
  afterString(from: number, until: number): number {
    const bytes = this.#bytes;
    const words = this.#words;
    const first = this.#first;
    const last = Math.min((until - first) >> 2, words.length);
    for (let at = from; ; ) {
      let index = (at - first) >> 2;
      if (((at - first) & 3) === 0 && index < last) {
        // The bit 0x80 of each byte that is one; and the byte that an escape of the word before reaches into.
        let reached = 0;
        for (; index < last; index++) {
          const word = words[index] ?? 0;
          const escapes = equalBytes(word, BACKSLASHES);
          const escaped = (escapes << 8) | reached;
          // Whether the second of two escapes is one itself depends on how many there are.
          if ((escapes & escaped) !== 0) break;
          const quotes = equalBytes(word, QUOTES) & ~escaped;
          if (quotes !== 0) return first + index * 4 + lowestByte(quotes) + 1;
          reached = escapes >>> 24;
        }
        at = first + index * 4 + (reached === 0 ? 0 : 1);
      }
      do {
        if (at >= until) return ~at;
        const byte = bytes[at];
        if (byte === QUOTE) return at + 1;
        at += byte === BACKSLASH ? 2 : 1;
      } while (((at - first) & 3) !== 0);
    }
  }
}

/** The bit 0x80 of each byte of `word` that equals the one of `wanted` (Hacker's Delight, 6-1: find a zero byte). */
function equalBytes(word: number, wanted: number): number {
  const difference = word ^ wanted;
  return ~(((difference & LOW_BITS) + LOW_BITS) | difference | LOW_BITS);
}

/** The place of the lowest byte that has a bit, in a word that has one. */
function lowestByte(word: number): number {
  return (31 - Math.clz32(word & -word)) >> 3;
}
