/** A foreign body, bounded by the most bytes that a valid one can have. */

import { ByteAccumulator } from './byte-accumulator.ts';
import { textOfBytes } from './bytes.ts';

/** Reads a body. @param maxLength bytes. @returns undefined if there are more; the rest is then not read. */
export async function boundedBytes(
  body: AsyncIterable<Uint8Array>,
  maxLength: number,
): Promise<Uint8Array | undefined> {
  const whole = new ByteAccumulator(maxLength);
  for await (const chunk of body) {
    if (whole.size() + chunk.byteLength > maxLength) return undefined;
    whole.add(chunk);
  }
  return whole.whole();
}

/** Reads a body as text. @param maxLength bytes. @returns undefined if there are more; the rest is then not read. */
export async function boundedText(
  body: AsyncIterable<Uint8Array>,
  maxLength: number,
): Promise<string | undefined> {
  const bytes = await boundedBytes(body, maxLength);
  return bytes && textOfBytes(bytes);
}
