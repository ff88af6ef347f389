/** Decompresses bodies (RFC 9110, 8.4). */

import { Readable } from 'node:stream';
import { CODINGS, parseCoding } from '../../upstream/content-coding.ts';

/** The most bytes that a body may decompress to: a small body can contain a very large one. */
const MAX_INFLATED = 256 * 1024 * 1024;

/**
 * @param header the value of its `Content-Encoding`
 * @returns the decompressed body; undefined if the coding is unknown or the body does not have it, or if it is longer
 *   than 256 MiB
 */
export async function inflated(
  body: Buffer,
  header: string | string[] | undefined,
): Promise<Buffer | undefined> {
  const coding = parseCoding(header);
  if (coding === undefined) return body;
  const decoder = CODINGS.get(coding)?.();
  if (decoder === undefined) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of Readable.from([body]).pipe(decoder)) {
      size += chunk.length;
      if (size > MAX_INFLATED) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined; // The caller reports it.
  }
  return Buffer.concat(chunks);
}
