/** Bodies that came compressed (RFC 9110, 8.4), as what they are. */

import { Readable } from 'node:stream';
import { CODINGS, codingOf } from '../../upstream/content-coding.ts';

/** The most that a body may become, in bytes: a small one can hold a very large one. */
const MAX_INFLATED = 256 * 1024 * 1024;

/** The body without its `Content-Encoding`; undefined where that is not known, or is not what the body has. */
export async function inflated(
  body: Buffer,
  header: string | string[] | undefined,
): Promise<Buffer | undefined> {
  const coding = codingOf(header);
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
    return undefined; // the caller says so
  }
  return Buffer.concat(chunks);
}
