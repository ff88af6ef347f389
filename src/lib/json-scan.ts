/**
 * One pass over the bytes of a JSON object, without parsing it into a value: where its top-level values are, whether it
 * is closed, how deep and how large it is. The native path needs no more, and JSON.parse of a hostile body can cost a
 * gigabyte.
 */

import { afterStringIn, ByteText } from './byte-text.ts';
import { bytesOfText, concatBytes, textOfBytes } from './bytes.ts';
import { type GatewayError, invalid } from './errors.ts';
import { MISREADS_ESCAPED_KEYS } from './escaped-keys.ts';
import { MAX_DEPTH, MAX_TOKENS, tokensIn } from './json-bounds.ts';
import {
  afterSpace,
  afterString,
  BACKSLASH,
  beforeSpace,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  EXACT_DIGITS,
  hasBackslash,
  isDigit,
  isInNumber,
  isSpace,
  lastSeen,
  MINUS,
  mayHoldJson,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  type Span,
} from './json-bytes.ts';
import type { KnownValue, KnownValues, ObjectScan } from './object-scan.ts';

export type { Span } from './json-bytes.ts';

/** Shorter strings are copied in less time than it takes to avoid it. */
const LARGE_STRING = 4096;

/**
 * Scans an object.
 * @param bytes UTF-8, which the caller has checked.
 * @param known values that are not scanned again.
 * @throws GatewayError `invalid-request` if the bytes are not a closed JSON object, are nested deeper than MAX_DEPTH,
 *   hold more than MAX_TOKENS, or have a top-level key twice, because two readers may disagree on which counts.
 */
export function scanObject(bytes: Uint8Array, known?: KnownValues): ObjectScan {
  const begun = beginScan(bytes, known);
  scanUpTo(begun, bytes, bytes.length);
  return begun.found;
}

/** As `scanObject`, in steps. @param stretch how many bytes a step passes, at least two. */
export function* scanInSteps(
  bytes: Uint8Array,
  stretch: number,
  known?: KnownValues,
): Generator<undefined, ObjectScan> {
  const begun = beginScan(bytes, known);
  for (let stop = stretch; !scanUpTo(begun, bytes, Math.min(stop, bytes.length)); stop += stretch) yield;
  return begun.found;
}

/**
 * Scans a value by itself.
 * @param bytes a list or an object in UTF-8. Where other values end, the bytes behind them say.
 * @throws as `scanObject` does.
 */
export function scanValue(bytes: Uint8Array): KnownValue {
  const before = '{"":';
  const wrapped = concatBytes([bytesOfText(before), bytes, bytesOfText('}')]);
  const { fields: _, ...found } = scanObject(wrapped);
  const moved = (places: readonly number[]): number[] => places.map((place) => place - before.length);
  return {
    ...found,
    length: bytes.length,
    tokens: tokensIn(textOfBytes(bytes, 0, bytes.length)),
    members: found.members - 1,
    items: moved(found.items),
    numbers: moved(found.numbers),
    largeStrings: moved(found.largeStrings),
  };
}

/** A scan that is on its way. */
interface BegunScan {
  readonly found: ObjectScan & {
    readonly fields: Map<string, Span>;
    members: number;
    readonly items: number[];
    readonly numbers: number[];
    readonly largeStrings: number[];
    nested: number;
    hasEscapedKey: boolean | undefined;
  };
  readonly text: ByteText;
  readonly known: KnownValues | undefined;
  readonly closers: number[];
  depth: number;
  tokens: number;
  /** The next byte to look at: the opening quote, inside of a string. */
  at: number;
  /** The last byte of the string that needs no other look; -1 outside of strings. */
  seen: number;
  /** The key of the current value; undefined while the cursor is not inside one. */
  key: string | undefined;
  valueStart: number;
}

function beginScan(bytes: Uint8Array, known: KnownValues | undefined): BegunScan {
  const at = afterSpace(bytes, 0);
  if (at >= bytes.length) throw invalid('The request has no body. It must be a JSON object.');
  if (bytes[at] !== OPEN_OBJECT) throw notJson(at);
  return {
    found: {
      fields: new Map(),
      members: 0,
      items: [],
      numbers: [],
      largeStrings: [],
      nested: 0,
      hasEscapedKey: false,
    },
    text: new ByteText(bytes),
    known,
    closers: [],
    depth: 0,
    tokens: 0,
    at,
    seen: -1,
    key: undefined,
    valueStart: 0,
  };
}

/** Goes on up to the byte at `stop`. @returns whether the object is complete. @throws as `scanObject` does. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a state machine over bytes: its variables stay in registers, as they would not as fields.
function scanUpTo(begun: BegunScan, bytes: Uint8Array, stop: number): boolean {
  const { found, closers, text } = begun;
  const { fields: spans, items, numbers, largeStrings } = found;
  let { members } = found;
  let { depth, tokens, at, seen, key, valueStart } = begun;

  const endValue = (end: number): void => {
    if (key === undefined) return;
    const span = { start: valueStart, end: beforeSpace(bytes, end) };
    if (span.end <= span.start) throw notJson(end);
    spans.set(key, span);
    key = undefined;
  };

  for (; at < stop; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const from = Math.max(at, seen);
      const isLast = stop === bytes.length && seen < 0;
      const end = isLast ? endOfString(bytes, at, text) : afterString(bytes, from, stop);
      if (end < 0) {
        seen = Math.max(from, lastSeen(bytes, from, stop));
        break;
      }
      seen = -1;
      if (key === undefined) {
        if (MISREADS_ESCAPED_KEYS && hasBackslash(bytes, at, end)) found.hasEscapedKey = true;
        key = keyText(bytes, at, end, text);
        if (spans.has(key)) throw invalid(`The request body has the key "${printable(key)}" twice.`, key);
        at = afterSpace(bytes, end);
        if (bytes[at] !== COLON) throw notJson(at);
        members++;
        if (++tokens > MAX_TOKENS) throw tooLarge();
        valueStart = afterSpace(bytes, at + 1);
        at = valueStart - 1;
        const known = begun.known?.find(key, bytes, valueStart);
        if (known !== undefined) {
          at += known.length;
          members += known.members;
          tokens += known.tokens;
          if (tokens > MAX_TOKENS) throw tooLarge();
          addKnown(found, known, valueStart);
        }
      } else {
        if (end - at >= LARGE_STRING) largeStrings.push(at, end);
        if (mayHoldJson(bytes[at + 1])) found.nested += end - at;
        const start = at;
        at = end - 1;
        // Nearly every string is followed by one of these.
        const next = bytes[end];
        if (depth > 1 && (next === COMMA || next === COLON)) {
          if (++tokens > MAX_TOKENS) throw tooLarge();
          if (next === COLON) {
            members++;
            if (MISREADS_ESCAPED_KEYS && hasBackslash(bytes, start, end)) found.hasEscapedKey = true;
          }
          at = end;
        }
      }
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (depth === 1 && key === undefined) throw notJson(at);
      if (depth === MAX_DEPTH) throw invalid(`The request body is nested deeper than ${MAX_DEPTH} levels.`);
      if (++tokens > MAX_TOKENS) throw tooLarge();
      if (depth === 2 && byte === OPEN_OBJECT && closers[1] === CLOSE_LIST) items.push(at);
      closers[depth++] = byte === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST;
      continue;
    }
    if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (closers[depth - 1] !== byte) throw notJson(at);
      if (depth === 1) {
        endValue(at);
        const rest = afterSpace(bytes, at + 1);
        if (rest < bytes.length) throw notJson(rest);
        found.members = members;
        return true;
      }
      depth--;
      if (depth === 2 && byte === CLOSE_OBJECT && closers[1] === CLOSE_LIST) items.push(at + 1);
      continue;
    }
    if (byte === COMMA || byte === COLON) {
      if (++tokens > MAX_TOKENS) throw tooLarge();
      if (byte === COLON) {
        members++;
        // Space stands before this colon, so its key was passed as a value is.
        if (MISREADS_ESCAPED_KEYS) found.hasEscapedKey ||= undefined;
      }
      if (depth === 1) {
        if (byte === COLON) throw notJson(at);
        endValue(at);
      }
      continue;
    }
    if (key === undefined && !isSpace(byte)) throw notJson(at);
    if (byte === MINUS || isDigit(byte)) {
      const start = at;
      while (isDigit(bytes[at])) at++;
      const isShort = at > start && at - start <= EXACT_DIGITS;
      const digitsEnd = at;
      while (isInNumber(bytes[at])) at++;
      if (at > digitsEnd || !isShort) numbers.push(start, at);
      at--;
    }
  }
  if (stop === bytes.length) throw notJson(bytes.length);
  found.members = members;
  Object.assign(begun, { depth, tokens, at, seen, key, valueStart });
  return false;
}

/** Adds what is known of a value that begins at `start`, besides its members. */
function addKnown(found: BegunScan['found'], known: KnownValue, start: number): void {
  for (const place of known.items) found.items.push(start + place);
  for (const place of known.numbers) found.numbers.push(start + place);
  for (const place of known.largeStrings) found.largeStrings.push(start + place);
  found.nested += known.nested;
  if (known.hasEscapedKey !== false) found.hasEscapedKey ||= known.hasEscapedKey;
}

/** The place behind a string's closing quote. @throws GatewayError `invalid-request` if there is none. */
function endOfString(bytes: Uint8Array, start: number, text: ByteText): number {
  const end = afterStringIn(bytes, start, text);
  if (end < 0) throw notJson(bytes.length);
  return end;
}

function keyText(bytes: Uint8Array, start: number, end: number, text: ByteText): string {
  let at = start + 1;
  while (isPlain(bytes[at])) at++;
  if (at === end - 1) return text.slice(start + 1, end - 1);
  const raw = textOfBytes(bytes, start, end);
  if (!raw.includes('\\')) return raw.slice(1, -1);
  try {
    return String(JSON.parse(raw));
  } catch {
    throw notJson(start);
  }
}

/** Whether a byte of a string stands for itself: ASCII that is neither the quote nor the beginning of an escape. */
function isPlain(byte: number | undefined): boolean {
  return byte !== undefined && byte < 0x80 && byte !== QUOTE && byte !== BACKSLASH;
}

function printable(text: string): string {
  return text.slice(0, 64).replaceAll(/[^\x20-\x7e]|"/g, '?');
}

function notJson(at: number): GatewayError {
  return invalid(`The request body is not a valid JSON object (at byte ${at}).`);
}

/** Makes a 400 for more than MAX_TOKENS of JSON. */
export function tooLarge(): GatewayError {
  return invalid(`The request body holds more than ${MAX_TOKENS} JSON tokens.`);
}
