/**
 * Reads a vendor's usage off the bytes that pass by, without parsing them: an answer is megabytes, its usage a few
 * hundred bytes. `"usage":` cannot stand inside a JSON string, whose quotes are escaped; so the field is found by a
 * search, and only its value is kept: the first one and the last one, which together tell all of every format.
 */

import { asBuffer } from '../as-buffer.ts';
import type { UsageField } from '../formats/format.ts';
import { isObject, type JsonObject, tryParseJson } from '../json.ts';

export interface UsageTap {
  /** The next bytes of the answer. Cost: one search through them. */
  chunk(bytes: Uint8Array): void;
  /** The first and the last usage object so far. */
  found(): readonly JsonObject[];
}

/** No vendor's usage is longer. */
const MAX_VALUE = 16 * 1024;

const NOTHING: Buffer = Buffer.alloc(0);

const OPEN = 0x7b;
const CLOSE = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The fields without their first quote: a search looks for the first byte, and of quotes there are very many. */
const MARKERS: Readonly<Record<UsageField, Buffer>> = {
  usage: Buffer.from('usage"'),
  usageMetadata: Buffer.from('usageMetadata"'),
};

/** @param field as the vendor's format has it. */
export function usageTap(field: UsageField): UsageTap {
  const marker = MARKERS[field];
  let first: Buffer | undefined;
  let last: Buffer | undefined;
  /** The bytes that came last: they are searched when others follow, or somebody asks. */
  let latest: Buffer | undefined;
  /** The bytes before those, at whose end the marker may be cut in two. */
  let before: Buffer = NOTHING;
  /** A value that goes on in the next bytes. */
  let open: Buffer | undefined;

  function keep(value: Buffer): void {
    last = value;
    // A copy: the chunk it is a part of would live as long as the stream.
    first ??= Buffer.from(value);
  }

  /** Looks for the field, and its value, from `at` on. */
  function search(bytes: Buffer, from: number): void {
    let at = from;
    for (;;) {
      const found = bytes.indexOf(marker, at);
      if (found < 0) return;
      at = found + marker.length;
      if (bytes[found - 1] !== QUOTE) continue;
      const end = valueEnd(bytes, at);
      if (end === undefined) {
        open = Buffer.from(bytes.subarray(at));
        return;
      }
      if (end > at) keep(bytes.subarray(bytes.indexOf(OPEN, at), end));
      at = Math.max(at, end);
    }
  }

  /** What a marker, begun in the bytes before and ended in these, is found in; undefined where there is none. */
  function joined(bytes: Buffer): Buffer | undefined {
    const from = Math.max(0, before.length - marker.length);
    const quote = before.indexOf(QUOTE, from);
    if (quote < 0) return undefined;
    const both = Buffer.concat([before.subarray(quote), bytes]);
    const found = both.indexOf(marker, 1);
    return found >= 1 && found <= before.length - quote && both[found - 1] === QUOTE ? both : undefined;
  }

  /** Searches what came last. */
  function catchUp(): void {
    if (latest === undefined) return;
    let bytes = latest;
    latest = undefined;
    if (open !== undefined) {
      bytes = Buffer.concat([open, bytes]);
      open = undefined;
      const end = valueEnd(bytes, 0);
      if (end === undefined && bytes.length < MAX_VALUE) {
        open = bytes;
        return;
      }
      if (end !== undefined && end > 0) keep(bytes.subarray(bytes.indexOf(OPEN), end));
      search(bytes, end ?? 0);
    } else {
      search(joined(bytes) ?? bytes, 0);
    }
    before = bytes.length <= marker.length ? Buffer.concat([before.subarray(-marker.length), bytes]) : bytes;
  }

  return {
    chunk(data) {
      catchUp();
      latest = asBuffer(data);
    },
    found() {
      catchUp();
      const values = first === undefined || last?.equals(first) ? [first] : [first, last];
      return values.flatMap((bytes) => {
        const value = bytes === undefined ? undefined : tryParseJson(bytes.toString('utf8'));
        return isObject(value) ? [value] : [];
      });
    },
  };
}

/**
 * Where the object ends that comes after the colon at `at`; `at` itself where there is none (`null`, or another kind
 * of value); undefined where the bytes end before it does.
 */
function valueEnd(bytes: Buffer, at: number): number | undefined {
  let position = at;
  while (isFiller(bytes[position])) position += 1;
  if (position >= bytes.length) return undefined;
  if (bytes[position] !== OPEN) return at;
  let depth = 0;
  let inString = false;
  for (; position < bytes.length; position += 1) {
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
