/** Decompresses bodies (RFC 9110, 8.4). */

import { Readable } from 'node:stream';
import { boundedBytes } from '../../lib/bounded-text.ts';
import { CODINGS, parseCoding } from '../../upstream/content-coding.ts';

/** The most bytes that a body may decompress to: a small body can contain a very large one. */
const MAX_INFLATED = 256 * 1024 * 1024;

/**
 * @param header the value of its `Content-Encoding`
 * @returns the decompressed body; undefined if the coding is unknown or the body does not have it, or if it is longer
 *   than 256 MiB
 */
export async function inflated(
  body: Uint8Array,
  header: string | string[] | undefined,
): Promise<Uint8Array | undefined> {
  const coding = parseCoding(header);
  if (coding === undefined) return body;
  const decoder = CODINGS.get(coding)?.();
  if (decoder === undefined) return undefined;
  try {
    return await boundedBytes(Readable.from([body]).pipe(decoder), MAX_INFLATED);
  } catch {
    return undefined; // The caller reports it.
  }
}
