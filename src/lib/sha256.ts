/**
 * SHA-256 (FIPS 180-4) without Node's crypto: its counterpart on the web platform is asynchronous only. It hashes the
 * short texts by which callers identify themselves; keys are hashed elsewhere, by Node.
 */

import { bytesOfText } from './bytes.ts';

/** The fractional parts of the roots of the first primes: `exponent` 1/2 gives the initial hash, 1/3 the constants. */
function fractions(count: number, exponent: number): Uint32Array {
  const made = new Uint32Array(count);
  for (let number = 2, found = 0; found < count; number += 1) {
    if (!isPrime(number)) continue;
    const root = number ** exponent;
    made[found] = Math.floor((root - Math.floor(root)) * 2 ** 32);
    found += 1;
  }
  return made;
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) {
    if (number % divisor === 0) return false;
  }
  return true;
}

const INITIAL = fractions(8, 1 / 2);
const CONSTANTS = fractions(64, 1 / 3);

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** Hashes a text's UTF-8 bytes. @returns lower-case hex. */
export function sha256(text: string): string {
  const padded = pad(bytesOfText(text));
  const state = INITIAL.slice();
  const schedule = new Uint32Array(64);
  for (let at = 0; at < padded.byteLength; at += 64) {
    for (let index = 0; index < 16; index += 1) schedule[index] = padded.getUint32(at + index * 4);
    compress(state, schedule);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

/** The message with its end mark and its length in bits, in blocks of 64 bytes. */
function pad(message: Uint8Array): DataView {
  const padded = new Uint8Array((((message.length + 8) >>> 6) + 1) << 6);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length << 3);
  return view;
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  const word = (words: Uint32Array, index: number): number => words[index] ?? 0;
  for (let index = 16; index < 64; index += 1) {
    const before = word(schedule, index - 15);
    const last = word(schedule, index - 2);
    const low = rotate(before, 7) ^ rotate(before, 18) ^ (before >>> 3);
    const high = rotate(last, 17) ^ rotate(last, 19) ^ (last >>> 10);
    schedule[index] = word(schedule, index - 16) + low + word(schedule, index - 7) + high;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index += 1) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + sum1 + choice + word(CONSTANTS, index) + word(schedule, index)) | 0;
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + sum0 + majority) | 0];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = word(state, index) + value;
}
