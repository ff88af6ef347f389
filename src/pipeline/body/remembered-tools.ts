/**
 * The tools of requests, scanned and parsed once. An agent sends the same tools with every turn, often more bytes of
 * them than of anything else.
 */

import { type Json, tryParseJson } from '../../lib/json.ts';
import { OPEN_LIST } from '../../lib/json-bytes.ts';
import { scanValue } from '../../lib/json-scan.ts';
import type { KnownValue, KnownValues } from '../../lib/object-scan.ts';
import { keptCopy } from '../../upstream/net/to-buffer.ts';

/** Tools of fewer bytes are read in less time than it takes to find them. */
const MIN_BYTES = 2 * 1024;
/** No more of them are remembered. An agent's are 20 to 100 KB. */
const MAX_BYTES = 512 * 1024;
/** How many bytes are remembered in all, for some forty agents. Their values, if all are asked for, take five times that. */
const MAX_TOTAL_BYTES = 4 * 1024 * 1024;
/** How many tools are remembered, since a scan compares its tools with each. */
const MAX_ENTRIES = 64;

/** Bytes are compared at so many places first: agents with other tools at the end begin alike. */
const PROBES = 8;

interface Entry {
  readonly bytes: Buffer;
  /** What a scan finds in them; absent until they come for the second time. */
  known?: KnownValue;
  /** Their value; absent until it is asked for. */
  value?: Json;
}

/** Remembers tools, up to a bound. */
export class RememberedTools implements KnownValues {
  /** One for each length, the oldest first. Of two agents whose tools have the same length, the later one is known. */
  readonly #entries = new Map<number, Entry>();
  #size = 0;

  find(key: string, bytes: Uint8Array, start: number): KnownValue | undefined {
    if (key !== 'tools') return undefined;
    for (const { bytes: known, known: found } of this.#entries.values())
      if (found !== undefined && isAt(known, bytes, start)) return found;
    return undefined;
  }

  /**
   * Remembers tools that a scan has accepted: their bytes at first, and what a scan finds in them the second time.
   * @param bytes JSON in UTF-8.
   */
  meet(bytes: Buffer): void {
    // Where a list ends does not depend on what follows it.
    if (bytes[0] !== OPEN_LIST) return;
    const entry = this.#entries.get(bytes.length);
    if (entry?.bytes.equals(bytes)) entry.known ??= scanValue(bytes);
    else if (isWorthIt(bytes)) this.#add(bytes);
  }

  /**
   * Parses the value of the field `tools`, or returns that of an earlier request with the same bytes. The value is
   * shared, so nobody may change it (`test/translate/unchanged.test.ts`).
   * @param bytes JSON in UTF-8.
   * @returns undefined if they are not JSON, or too few or too many to be remembered.
   */
  recall(bytes: Buffer): Json | undefined {
    if (!isWorthIt(bytes)) return undefined;
    const entry = this.#entries.get(bytes.length);
    if (entry?.value !== undefined && entry.bytes.equals(bytes)) return entry.value;
    const value = tryParseJson(bytes.toString());
    if (value === undefined) return undefined;
    const owner = entry?.bytes.equals(bytes) ? entry : this.#add(bytes);
    owner.value = value;
    return value;
  }

  #add(bytes: Buffer): Entry {
    const { length } = bytes;
    if (!this.#entries.has(length)) this.#size += length;
    // Not a part of the body, which would be kept with it.
    const entry: Entry = { bytes: keptCopy(bytes) };
    this.#entries.set(length, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= MAX_TOTAL_BYTES && this.#entries.size <= MAX_ENTRIES) break;
      this.#entries.delete(oldest);
      this.#size -= oldest;
    }
    return entry;
  }
}

function isWorthIt({ length }: Buffer): boolean {
  return length >= MIN_BYTES && length <= MAX_BYTES;
}

/** Whether the bytes at a place are these. */
function isAt(these: Buffer, bytes: Uint8Array, start: number): boolean {
  const { length } = these;
  if (start + length > bytes.length) return false;
  const step = Math.floor(length / PROBES);
  for (let at = length - 1; at >= 0; at -= step) if (these[at] !== bytes[start + at]) return false;
  return these.compare(bytes, start, start + length) === 0;
}
