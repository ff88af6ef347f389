/**
 * The tools of requests, parsed once. An agent sends the same tools with every turn, often more bytes of them than of
 * anything else.
 */

import { type Json, tryParseJson } from '../../lib/json.ts';
import { keptCopy } from '../../upstream/net/to-buffer.ts';

/** Tools of fewer bytes are parsed in less time than it takes to find them. */
const MIN_BYTES = 2 * 1024;
/** No more of them are remembered. An agent's are 20 to 100 KB. */
const MAX_BYTES = 512 * 1024;
/** How many bytes are remembered in all. Their values take about five times that. */
const MAX_TOTAL_BYTES = 1024 * 1024;

export interface RememberedTools {
  /**
   * Parses the value of the field `tools`, or returns that of an earlier request with the same bytes. The value is
   * shared, so nobody may change it (`test/translate/unchanged.test.ts`).
   * @param bytes JSON in UTF-8.
   * @returns undefined if they are not JSON, or too few or too many to be remembered.
   */
  recall(bytes: Buffer): Json | undefined;
}

interface Entry {
  readonly bytes: Buffer;
  readonly value: Json;
}

/** Remembers tools, up to a bound. */
export function rememberTools(): RememberedTools {
  /** One for each length, the oldest first. Of two agents whose tools have the same length, the later one is known. */
  const entries = new Map<number, Entry>();
  let size = 0;
  return {
    recall(bytes) {
      const { length } = bytes;
      if (length < MIN_BYTES || length > MAX_BYTES) return undefined;
      const known = entries.get(length);
      if (known?.bytes.equals(bytes)) return known.value;
      const value = tryParseJson(bytes.toString());
      if (value === undefined) return undefined;
      if (known === undefined) size += length;
      // Not a part of the body, which would be kept with it.
      entries.set(length, { bytes: keptCopy(bytes), value });
      for (const oldest of entries.keys()) {
        if (size <= MAX_TOTAL_BYTES) break;
        entries.delete(oldest);
        size -= oldest;
      }
      return value;
    },
  };
}
