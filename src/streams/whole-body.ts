/** A complete body, read from its stream. */

import { ByteAccumulator } from '../lib/byte-accumulator.ts';
import type { GatewayError } from '../lib/errors.ts';

/**
 * Reads a body to its end.
 * @param limit the most bytes.
 * @param holds receives how many bytes are held so far; may throw.
 * @throws what the body fails with, what `holds` throws, or `tooLong()` for a longer body. The body is then
 *   cancelled.
 */
export async function wholeBody(
  body: ReadableStream<Uint8Array>,
  limit: number,
  tooLong: () => GatewayError,
  holds: (bytes: number) => void,
): Promise<Uint8Array> {
  const reader = body.getReader();
  const whole = new ByteAccumulator(limit);
  try {
    while (await readInto(whole, reader, limit, tooLong)) holds(whole.held());
  } catch (error) {
    // A body that has failed by itself rejects its cancellation with the same error.
    reader.cancel(error).catch(() => undefined);
    throw error;
  }
  return whole.whole();
}

async function readInto(
  whole: ByteAccumulator,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
  tooLong: () => GatewayError,
): Promise<boolean> {
  const { done, value } = await reader.read();
  if (done) return false;
  if (whole.size() + value.byteLength > limit) throw tooLong();
  whole.add(value);
  return true;
}
