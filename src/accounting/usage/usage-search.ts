/**
 * Finds a vendor's usage in bytes without parsing them: an answer may have megabytes, its usage a few hundred bytes.
 * `"usage":` cannot stand inside a JSON string, where quotes are escaped, so the field is found by a search. Only the
 * first and the last field are kept; together they tell everything in every format.
 */

import type { UsageField } from '../../conversation/tokens.ts';
import { LF, nextPlace } from '../../lib/bytes.ts';
import { isObject, type JsonObject, tryParseJson } from '../../lib/json.ts';
import { afterValue, COLON, isDigit, isSpace, OPEN_OBJECT, QUOTE } from '../../lib/json-bytes.ts';
import { joined, keptCopy } from '../../upstream/net/to-buffer.ts';

/** No vendor's usage is longer. */
const MAX_VALUE = 16 * 1024;

/** The most fields in one search whose end is not found: to look for the end of thousands takes a second. */
const MAX_OPEN = 8;

/** How a field is recognised. A search looks for the first byte, so it should be a rare one and not a quote. */
export interface Marks {
  /** The name, without its first quote. */
  readonly name: Buffer;
  /** A value without this text has no token counts. */
  readonly figure: Buffer;
}

export const MARKS: Readonly<Record<UsageField, Marks>> = {
  usage: { name: Buffer.from('usage"'), figure: Buffer.from('kens"') },
  usageMetadata: { name: Buffer.from('usageMetadata"'), figure: Buffer.from('kenCount"') },
};

/**
 * OpenAI's service tier stands beside the usage: the requested tier at the beginning of an answer, the actual one at
 * its end.
 */
const TIER = Buffer.from('service_tier"');

/** A tier's field is no longer. */
const MAX_TIER = 64;

/** Inside a value that has counts, no more bytes than these come without one. */
const WITHOUT_FIGURE = 512;

const ZERO = 0x30;
const POINT = 0x2e;

/** The first and the last field so far, each with its value. */
interface FoundField {
  first: Buffer | undefined;
  last: Buffer | undefined;
}

/** Makes a `FoundField` of an answer in which nothing was found yet. */
export function noFields(): FoundField {
  return { first: undefined, last: undefined };
}

/** The first and the last usage object of an answer. @param remains what the usage observer kept of the answer. */
export function usageIn(remains: readonly Uint8Array[], field: UsageField): readonly JsonObject[] {
  const kept = noFields();
  searchUsage(joined(remains), MARKS[field], kept, false);
  return listFields(kept).flatMap((bytes) => {
    const value = tryParseJson(bytes.toString('utf8', bytes.indexOf(OPEN_OBJECT)));
    return isObject(value) ? [value] : [];
  });
}

/** The last `service_tier` of an answer. @param remains what the usage observer kept of the answer. */
export function tierIn(remains: readonly Uint8Array[]): string | undefined {
  const field = lastTier(joined(remains));
  return field && /^\s*:\s*"(\w+)"/.exec(field.toString('latin1', TIER.length))?.[1];
}

/** The field, and some bytes after it. */
export function lastTier(bytes: Buffer): Buffer | undefined {
  const found = bytes.lastIndexOf(TIER);
  return found < 0 ? undefined : keptCopy(bytes.subarray(found, found + MAX_TIER));
}

/** The first and the last field, if they differ. */
export function listFields({ first, last }: FoundField): Buffer[] {
  if (first === undefined) return [];
  return last === undefined ? [first] : [first, last];
}

/**
 * Keeps the first field, and the last one that counts anything: some services end with a usage of zeros, or an empty
 * one. What is between them is not looked at, because some streams report usage with each event.
 * @param outlives whether the fields are kept longer than `bytes`, so that they are copied.
 * @returns the position where a field begins that may go on in the next bytes. Without any count only the end is
 * searched, unless an event ends there: some streams say `"usage":null` with each event.
 */
export function searchUsage(bytes: Buffer, marks: Marks, kept: FoundField, outlives: boolean): number {
  const { name } = marks;
  let at = searchStart(bytes, marks, kept);
  const keepField = outlives ? keepCopy : keep;
  let open = 0;
  for (let found = bytes.indexOf(name, at); found >= 0; found = bytes.indexOf(name, at)) {
    at = found + name.length;
    const end = fieldEnd(bytes, found, at);
    if (end === undefined) {
      if (bytes.length - at < MAX_VALUE) return found - 1;
      open += 1;
      if (open === MAX_OPEN) at = bytes.length - MAX_VALUE;
    } else if (end > at) {
      const isFirst = kept.first === undefined;
      const field = bytes.subarray(found - 1, end);
      keepField(kept, field);
      at = isFirst ? Math.max(end, lastWhole(bytes, name) - 1) : end;
    }
  }
  return nextPlace(bytes, QUOTE, Math.max(at, bytes.length - name.length), -1);
}

/** The position before which no field that has counts can begin; the end of the bytes if they need no search. */
function searchStart(bytes: Buffer, { name, figure }: Marks, { first }: FoundField): number {
  const figured = bytes.indexOf(figure);
  if (figured >= 0)
    return Math.max(0, first === undefined ? figured - WITHOUT_FIGURE : lastWhole(bytes, name) - 1);
  if (bytes[bytes.length - 1] === LF && bytes[bytes.length - 2] === LF) return bytes.length;
  return Math.max(0, bytes.length - WITHOUT_FIGURE);
}

/** Keeps a field as the first one if it is, or else as the last one if it counts anything. */
function keep(kept: FoundField, field: Buffer): void {
  if (kept.first === undefined) kept.first = field;
  else if (hasCount(field)) kept.last = field;
}

/** Keeps a copy of it, in the memory of the last one before if it has room: each takes 0.4 µs to get. */
function keepCopy(kept: FoundField, field: Buffer): void {
  const { first, last } = kept;
  if (first === undefined) {
    kept.first = keptCopy(field);
  } else if (!hasCount(field)) {
    return;
  } else if (last === undefined || last.buffer.byteLength < field.length) {
    kept.last = keptCopy(field);
  } else {
    kept.last = Buffer.from(last.buffer, 0, field.length);
    kept.last.set(field);
  }
}

/**
 * Whether a figure in a field is more than 0. Names have digits too (`ephemeral_5m_input_tokens`), so one of a figure is
 * known by what stands before it.
 */
function hasCount(field: Buffer): boolean {
  for (let at = 1; at < field.length; at += 1) {
    const byte = field[at];
    if (byte === ZERO || !isDigit(byte)) continue;
    const before = field[at - 1];
    if (before === COLON || before === ZERO || before === POINT || isSpace(before)) return true;
  }
  return false;
}

/**
 * The position of the last field whose value is complete and counts anything; -1 if none of the last MAX_OPEN is, or
 * there are none.
 */
function lastWhole(bytes: Buffer, name: Buffer): number {
  for (let before = bytes.length, tried = 0; before > 0 && tried < MAX_OPEN; ) {
    const found = bytes.lastIndexOf(name, before - 1);
    if (found < 0) break;
    const end = bytes[found - 1] === QUOTE ? valueEnd(bytes, found + name.length) : undefined;
    if (end !== undefined && end > found + name.length && hasCount(bytes.subarray(found, end))) return found;
    if (end !== found + name.length) tried += 1;
    before = found;
  }
  return -1;
}

/** The end of the field whose name is from `found` to `at`; `at` if there is no such field, or it is not an object. */
function fieldEnd(bytes: Buffer, found: number, at: number): number | undefined {
  return bytes[found - 1] === QUOTE ? valueEnd(bytes, at) : at;
}

/**
 * The end of the object after the colon at `at`; `at` itself if the value is not an object, such as `null`; undefined
 * if the bytes, or MAX_VALUE of them, end before the object does.
 */
function valueEnd(bytes: Buffer, at: number): number | undefined {
  let position = at;
  while (bytes[position] === COLON || isSpace(bytes[position])) position += 1;
  if (position >= bytes.length) return undefined;
  if (bytes[position] !== OPEN_OBJECT) return at;
  const end = afterValue(bytes, position, Math.min(bytes.length, at + MAX_VALUE));
  return end < 0 ? undefined : end;
}
