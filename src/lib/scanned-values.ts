/** Values at the places that a scan has found. */

import { textOfBytes } from './bytes.ts';
import { invalid } from './errors.ts';
import { type Json, parseJson } from './json.ts';
import type { Span } from './json-bytes.ts';
import type { ObjectScan } from './object-scan.ts';

/**
 * The places of the objects in a top-level list, one at a time; none for any other value.
 * @param list the place of the value, one of the scan's fields.
 */
export function* itemsOf({ items }: ObjectScan, { start, end }: Span): Generator<Span> {
  for (let at = 0; at < items.length; at += 2) {
    const item = { start: items[at] ?? 0, end: items[at + 1] ?? 0 };
    if (item.start >= end) return;
    if (item.start > start) yield item;
  }
}

/** Parses the value at a place in an object's bytes. @throws GatewayError `invalid-request` if it is not JSON. */
export function valueAt(bytes: Uint8Array, { start, end }: Span): Json {
  try {
    return parseJson(textOfBytes(bytes, start, end));
  } catch {
    throw invalid(`The request body is not valid JSON (at byte ${start}).`);
  }
}
