/**
 * Finds a member of a JSON object, such as the `usage` of a chunk, in the object's bytes: to parse every chunk would take
 * twenty times as long.
 */

import type { Span } from '../../json-scan.ts';

/** Where a member of an object stands. */
export interface Member {
  /** The first quote of its key. */
  readonly key: number;
  readonly value: Span;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * The member of the object in the bytes from `start` to `end` whose key may be at `key`, of `length` bytes with its
 * quotes; undefined where that is no key, or one of an object further in. What follows tells which: the bracket that
 * closes what the key stands in is the object's last byte, or it is not.
 */
export function memberAt(
  bytes: Buffer,
  key: number,
  length: number,
  { start, end }: Span,
): Member | undefined {
  if (bytes[afterSpace(bytes, start)] !== OPEN_OBJECT || bytes[key - 1] === BACKSLASH) return undefined;
  const colon = afterSpace(bytes, key + length);
  if (bytes[colon] !== COLON) return undefined;
  const value = afterSpace(bytes, colon + 1);
  let valueEnd = -1;
  let depth = 1;
  for (let at = value; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = closingQuote(bytes, at, end);
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === COMMA && depth === 1 && valueEnd < 0) valueEnd = at;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1;
      if (depth > 0) continue;
      if (afterSpace(bytes, at + 1) < end) return undefined;
      const last = beforeSpace(bytes, valueEnd < 0 ? at : valueEnd);
      return { key, value: { start: value, end: last + 1 } };
    }
  }
  return undefined;
}

/** The member, with the comma that came with it: what is to be cut out. */
export function spanOfMember(bytes: Buffer, { key, value }: Member): Span {
  const before = beforeSpace(bytes, key);
  if (bytes[before] === COMMA) return { start: before, end: value.end };
  const after = afterSpace(bytes, value.end);
  return { start: key, end: bytes[after] === COMMA ? after + 1 : value.end };
}

/** Whether the bytes at `at` are those of `text`. */
export function isAt(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text[index]) return false;
  return true;
}

/** The first byte from `at` on that is no white space (RFC 8259, 2). */
export function afterSpace(bytes: Buffer, at: number): number {
  let position = at;
  while (isSpace(bytes[position])) position += 1;
  return position;
}

/** The last byte before `end` that is no white space. */
function beforeSpace(bytes: Buffer, end: number): number {
  let position = end - 1;
  while (isSpace(bytes[position])) position -= 1;
  return position;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The quote that ends the string which begins at `start`; `end` where there is none. */
function closingQuote(bytes: Buffer, start: number, end: number): number {
  for (let at = start + 1; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  return end;
}
