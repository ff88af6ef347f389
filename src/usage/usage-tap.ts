/**
 * Reads a vendor's usage off the bytes that pass by, without parsing them: an answer is megabytes, its usage a few
 * hundred bytes. `"usage":` cannot stand inside a JSON string, whose quotes are escaped; so the field is found by a
 * search, and only it is kept: the first one and the last one, which together tell all of every format.
 */

import { asBuffer } from '../as-buffer.ts';
import type { UsageField } from '../conversation/tokens.ts';
import { isObject, type JsonObject, tryParseJson } from '../json.ts';

export interface UsageTap {
  /** The next bytes of the answer, which are kept until there are enough of them for a search. */
  chunk(bytes: Uint8Array): void;
  /**
   * What `usageIn` finds the same in as in all the bytes: the first and the last field so far, and what was not searched
   * yet. Views of what is kept here: to be read before the next chunk comes.
   */
  remains(): readonly Uint8Array[];
}

/** No vendor's usage is longer. */
const MAX_VALUE = 16 * 1024;

/** Bytes that are searched at once: of a stream that comes word by word, one search for some tens of words. */
const ENOUGH = 4 * 1024;

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
  /** Absent where nothing was searched yet: of short answers nothing ever is, here. */
  let search: Search | undefined;
  /** The first chunk, which of short answers is the only one. */
  let held: Uint8Array | undefined;
  let begun = false;
  /** The next ones, copied one behind the other until they fill it: nothing of the vendor's is kept alive by it. */
  let window: Buffer | undefined;
  let filled = 0;

  function seek(bytes: Uint8Array): void {
    search ??= openSearch(field);
    search.seek(asBuffer(bytes));
  }

  const waiting = (): Uint8Array | undefined => held ?? window?.subarray(0, filled);

  function catchUp(): void {
    const bytes = waiting();
    if (bytes !== undefined && bytes.byteLength > 0) seek(bytes);
    held = undefined;
    filled = 0;
  }

  return {
    chunk(bytes) {
      if (!begun) {
        begun = true;
        held = bytes;
        return;
      }
      if (held !== undefined || bytes.byteLength > ENOUGH - filled) catchUp();
      if (bytes.byteLength > ENOUGH) {
        seek(bytes);
        return;
      }
      window ??= Buffer.allocUnsafe(ENOUGH);
      window.set(bytes, filled);
      filled += bytes.byteLength;
    },
    remains() {
      if (held !== undefined && held.byteLength > ENOUGH) catchUp();
      const kept = search?.kept() ?? [];
      const bytes = waiting();
      return bytes === undefined ? kept : [...kept, bytes];
    },
  };
}

/** The first and the last usage object of an answer, of which a tap has kept `remains`. */
export function usageIn(remains: readonly Uint8Array[], field: UsageField): readonly JsonObject[] {
  const search = openSearch(field);
  search.seek(Buffer.concat(remains));
  return search.values().flatMap((bytes) => {
    const value = tryParseJson(bytes.toString('utf8', bytes.indexOf(OPEN)));
    return isObject(value) ? [value] : [];
  });
}

/** A search for a field in bytes that come piece by piece. */
interface Search {
  seek(bytes: Buffer): void;
  /** The first and the last one, where they differ, with their values. */
  values(): readonly Buffer[];
  /** The same, and the end of what was searched where a field has begun in it. */
  kept(): readonly Buffer[];
}

function openSearch(field: UsageField): Search {
  const marker = MARKERS[field];
  let first: Buffer | undefined;
  let last: Buffer | undefined;
  let rest: Buffer | undefined;

  /** Keeps every such field. @returns the end of the bytes, where a field has begun in it. */
  function search(bytes: Buffer): Buffer | undefined {
    let at = 0;
    for (;;) {
      const found = bytes.indexOf(marker, at);
      if (found < 0) break;
      at = found + marker.length;
      if (bytes[found - 1] !== QUOTE) continue;
      const end = valueEnd(bytes, at);
      if (end !== undefined && end > at) {
        last = Buffer.from(bytes.subarray(found - 1, end));
        first ??= last;
        at = end;
      } else if (end === undefined && bytes.length - at < MAX_VALUE) return bytes.subarray(found - 1);
    }
    const end = bytes.subarray(-marker.length);
    const quote = end.indexOf(QUOTE);
    return quote < 0 ? undefined : end.subarray(quote);
  }

  const values = (): readonly Buffer[] =>
    [first, first === last ? undefined : last].filter((bytes) => bytes !== undefined);

  return {
    seek(bytes) {
      const end = search(rest === undefined ? bytes : Buffer.concat([rest, bytes]));
      rest = end && Buffer.from(end);
    },
    values,
    kept: () => (rest === undefined ? values() : [...values(), rest]),
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
