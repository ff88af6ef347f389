/**
 * Reads a vendor's usage off the bytes that pass by, without parsing them: an answer is megabytes, its usage a few
 * hundred bytes. `"usage":` cannot stand inside a JSON string, whose quotes are escaped; so the field is found by a
 * search, and only it is kept: the first one and the last one, which together tell all of every format.
 */

import { asBuffer, joined } from '../as-buffer.ts';
import type { UsageField } from '../conversation/tokens.ts';
import { isObject, type JsonObject, tryParseJson } from '../json.ts';

/** What is kept of an answer while it passes. A value and no closures: one is made for every exchange. */
export interface UsageTap extends Kept {
  readonly marks: Marks;
  /** The first chunk, which of short answers is the only one. */
  held: Uint8Array | undefined;
  begun: boolean;
  /** The next ones, copied one behind the other until they fill it: nothing of the vendor's is kept alive by it. */
  window: Buffer | undefined;
  filled: number;
  /** Whether the tier is looked for, and the last one so far. */
  readonly tiered: boolean;
  tier: Buffer | undefined;
}

/** No vendor's usage is longer. */
const MAX_VALUE = 16 * 1024;

/** Bytes that are searched at once: of a stream that comes word by word, one search for some tens of words. */
const ENOUGH = 4 * 1024;

/** So many that come at once are worth a search of their own, where they lie. */
const MANY = 1024;

/** So many in one search whose end is not in sight are none: to look for the end of thousands takes a second. */
const MOST_OPEN = 8;

const OPEN = 0x7b;
const CLOSE = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 0x0a;

/** What a field is known by. A search looks for the first byte, so that should be a rare one: no quote. */
interface Marks {
  /** Its name, without the first quote. */
  readonly name: Buffer;
  /** Without this, no value of it tells any tokens. */
  readonly figure: Buffer;
}

const MARKS: Readonly<Record<UsageField, Marks>> = {
  usage: { name: Buffer.from('usage"'), figure: Buffer.from('kens"') },
  usageMetadata: { name: Buffer.from('usageMetadata"'), figure: Buffer.from('kenCount"') },
};

/** What an answer of OpenAI's is served by stands beside its usage: at its beginning as asked for, at its end as it was. */
const TIER = Buffer.from('service_tier"');

/** A tier's field is no longer. */
const MAX_TIER = 64;

/** In the midst of what a value tells, there are never so many bytes without a figure. */
const WITHOUT_FIGURE = 512;

/** The first field and the last one so far, each with its value. */
interface Kept {
  first: Buffer | undefined;
  last: Buffer | undefined;
}

/**
 * @param field as the vendor's format has it.
 * @param tiered whether what it is served by is looked for too: every byte then is searched once more.
 */
export function usageTap(field: UsageField, tiered = false): UsageTap {
  return {
    marks: MARKS[field],
    first: undefined,
    last: undefined,
    held: undefined,
    begun: false,
    window: undefined,
    filled: 0,
    tiered,
    tier: undefined,
  };
}

/** Takes the next bytes of the answer, which are kept until there are enough of them for a search. */
export function tapChunk(tap: UsageTap, bytes: Uint8Array): void {
  if (!tap.begun) {
    tap.begun = true;
    tap.held = bytes;
    return;
  }
  if (tap.held !== undefined) take(tap, tap.held);
  tap.held = undefined;
  take(tap, bytes);
}

/**
 * What `usageIn` finds the same in as in all the bytes: the first and the last field so far, and what was not searched
 * yet. Views of what is kept here: to be read before the next chunk comes.
 */
export function remainsOf(tap: UsageTap): readonly Uint8Array[] {
  if (tap.held !== undefined && tap.held.byteLength > ENOUGH) {
    take(tap, tap.held);
    tap.held = undefined;
  }
  const waiting = tap.held ?? tap.window?.subarray(0, tap.filled);
  const fields = tap.tier === undefined ? fieldsOf(tap) : [...fieldsOf(tap), tap.tier];
  return waiting === undefined ? fields : [...fields, waiting];
}

/** Whether any has been told. To be asked when all has come, and `remainsOf` has been read. */
export function hasUsage({ marks, first, held, window, filled }: UsageTap): boolean {
  if (first !== undefined) return true;
  const waiting = held === undefined ? window?.subarray(0, filled) : asBuffer(held);
  return waiting?.includes(marks.figure) === true;
}

function take(tap: UsageTap, bytes: Uint8Array): void {
  if (tap.filled === 0 && bytes.byteLength >= MANY) {
    searchAndKeep(tap, asBuffer(bytes));
    return;
  }
  const window = tap.window ?? Buffer.allocUnsafe(ENOUGH);
  tap.window = window;
  if (bytes.byteLength > window.length - tap.filled) searchAndKeep(tap, window.subarray(0, tap.filled));
  if (bytes.byteLength > window.length - tap.filled) {
    const { filled } = tap;
    searchAndKeep(tap, filled === 0 ? asBuffer(bytes) : Buffer.concat([window.subarray(0, filled), bytes]));
    return;
  }
  window.set(bytes, tap.filled);
  tap.filled += bytes.byteLength;
}

/** Searches bytes, of which the window then holds what may go on in the next ones. */
function searchAndKeep(tap: UsageTap, bytes: Buffer): void {
  const from = search(bytes, tap.marks, tap);
  if (tap.tiered) tap.tier = lastTier(bytes) ?? tap.tier;
  tap.filled = bytes.length - from;
  if (tap.filled === 0) return;
  if (tap.window === undefined || tap.filled > tap.window.length) {
    tap.window = Buffer.allocUnsafe(tap.filled + ENOUGH);
  }
  bytes.copy(tap.window, 0, from);
}

/** The first and the last usage object of an answer, of which a tap has kept `remains`. */
export function usageIn(remains: readonly Uint8Array[], field: UsageField): readonly JsonObject[] {
  const kept: Kept = { first: undefined, last: undefined };
  search(joined(remains), MARKS[field], kept);
  return fieldsOf(kept).flatMap((bytes) => {
    const value = tryParseJson(bytes.toString('utf8', bytes.indexOf(OPEN)));
    return isObject(value) ? [value] : [];
  });
}

/** The last `service_tier` that an answer has told, of which a tap has kept `remains`. */
export function tierIn(remains: readonly Uint8Array[]): string | undefined {
  const field = lastTier(joined(remains));
  return field && /^\s*:\s*"(\w+)"/.exec(field.toString('latin1', TIER.length))?.[1];
}

/** The field, and what comes after it. */
function lastTier(bytes: Buffer): Buffer | undefined {
  const found = bytes.lastIndexOf(TIER);
  return found < 0 ? undefined : Buffer.from(bytes.subarray(found, found + MAX_TIER));
}

/** The first one and the last one, where they differ. */
function fieldsOf({ first, last }: Kept): readonly Buffer[] {
  if (first === undefined) return [];
  return last === undefined || last === first ? [first] : [first, last];
}

/**
 * Keeps every field that tells anything. @returns from where on one has begun that may go on in what follows.
 * Where nothing is told only the end is searched, unless an event ends there: some streams say `"usage":null` with each.
 * Where the first one is known, of those that are told with each event only the last.
 */
function search(bytes: Buffer, { name, figure }: Marks, kept: Kept): number {
  let at = 0;
  let open = 0;
  if (bytes.includes(figure)) {
    if (kept.first !== undefined) at = Math.max(0, lastWhole(bytes, name) - 1);
  } else {
    if (bytes[bytes.length - 1] === LF && bytes[bytes.length - 2] === LF) return bytes.length;
    at = Math.max(0, bytes.length - WITHOUT_FIGURE);
  }
  for (;;) {
    const found = bytes.indexOf(name, at);
    if (found < 0) break;
    at = found + name.length;
    if (bytes[found - 1] !== QUOTE) continue;
    const end = valueEnd(bytes, at);
    if (end !== undefined && end > at) {
      kept.last = Buffer.from(bytes.subarray(found - 1, end));
      kept.first ??= kept.last;
      at = end;
    } else if (end === undefined) {
      if (bytes.length - at < MAX_VALUE) return found - 1;
      open += 1;
      if (open === MOST_OPEN) at = bytes.length - MAX_VALUE;
    }
  }
  for (let index = Math.max(at, bytes.length - name.length); index < bytes.length; index += 1)
    if (bytes[index] === QUOTE) return index;
  return bytes.length;
}

/** Where the name of the last field stands that has all of its value; -1 where there is none. */
function lastWhole(bytes: Buffer, name: Buffer): number {
  for (let before = bytes.length, open = 0; before > 0 && open < MOST_OPEN; ) {
    const found = bytes.lastIndexOf(name, before - 1);
    if (found < 0) break;
    const end = bytes[found - 1] === QUOTE ? valueEnd(bytes, found + name.length) : undefined;
    if (end !== undefined && end > found + name.length) return found;
    if (end === undefined) open += 1;
    before = found;
  }
  return -1;
}

/**
 * Where the object ends that comes after the colon at `at`; `at` itself where there is none (`null`, or another kind
 * of value); undefined where the bytes end before it does, or MAX_VALUE of them.
 */
function valueEnd(bytes: Buffer, at: number): number | undefined {
  let position = at;
  while (isFiller(bytes[position])) position += 1;
  if (position >= bytes.length) return undefined;
  if (bytes[position] !== OPEN) return at;
  let depth = 0;
  let inString = false;
  for (const most = Math.min(bytes.length, at + MAX_VALUE); position < most; position += 1) {
    const byte = bytes[position];
    if (inString) {
      if (byte === BACKSLASH) position += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) {
      depth -= 1;
      if (depth === 0) return position + 1;
    }
  }
  return undefined;
}

/** A colon or white space (RFC 8259, 2). */
function isFiller(byte: number | undefined): boolean {
  return byte === 0x3a || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
