/** The base64 of images and files, which reaches a vendor of another format as it came, except for its ends. */

import { isAscii } from 'node:buffer';
import { BACKSLASH, type Span } from '../../lib/json-bytes.ts';

/** Shorter ones are copied in less time than it takes to avoid it. */
const MIN_LENGTH = 64 * 1024;

/**
 * Bytes that stay at both ends of a string. They have the head of a `data:` URL, the first bytes of a file, by which its
 * type is known, and the padding. So much without a space also counts as a file when tokens are estimated.
 */
const HEAD = 4_096;
const TAIL = 64;

const LINE_FEED = 0x0a;
const MINUS = 0x2d;
const UNDERSCORE = 0x5f;
/** ASCII that may be in a string, but not in plain base64. */
const FOREIGN = [BACKSLASH, LINE_FEED, MINUS, UNDERSCORE];

/** What base64 in a string may begin with: a `data:` URL's head. */
const BEGINNING = /^(?:data:[^,]{0,1024},)?[A-Za-z0-9+/]+$/;

/**
 * The middle of a file. Its length is a multiple of four.
 * @param start the opening quote of a string.
 * @param end the place behind its closing quote.
 * @returns undefined if the string does not begin as base64, or is short.
 */
export function findBase64Middle(body: Buffer, start: number, end: number): Span | undefined {
  if (end - start < MIN_LENGTH) return undefined;
  const from = start + 1 + HEAD;
  const to = from + Math.floor((end - 1 - TAIL - from) / 4) * 4;
  return BEGINNING.test(body.toString('latin1', start + 1, from)) ? { start: from, end: to } : undefined;
}

/**
 * Whether nothing that reads base64 would find anything to change in some bytes. Base64url is not plain: some vendors get
 * it as base64.
 */
export function isPlainBase64(body: Buffer, start: number, end: number): boolean {
  const bytes = body.subarray(start, end);
  return isAscii(bytes) && FOREIGN.every((byte) => bytes.indexOf(byte) < 0);
}
