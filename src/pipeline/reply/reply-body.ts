/** The bodies of replies that are read or written whole. */

import { ByteAccumulator } from '../../lib/byte-accumulator.ts';
import { bytesOfText } from '../../lib/bytes.ts';
import { cancelBody } from '../../streams/cancel-body.ts';
import { tooLong } from '../../translate/decode-answer.ts';
import type { RenderedReply, VendorAnswer } from '../exchange.ts';
import { HeldAnswer } from './held-answer.ts';

/** Replaces the body `text` of a reply by `shown`, unless they are the same, and drops its `content-length`. */
export function withBody(reply: RenderedReply, text: string, shown: string): RenderedReply {
  if (shown === text) return reply;
  const { 'content-length': _, ...headers } = reply.headers;
  return { ...reply, headers, body: bytesOfText(shown) };
}

/**
 * Reads all of an answer's body: at once if it is here.
 * @param limit the most bytes.
 * @throws GatewayError if it is longer, breaks off, or finds no room. The body is then cancelled.
 */
export function readWhole(answered: VendorAnswer, limit: number): Uint8Array | Promise<Uint8Array> {
  const { body } = answered.answer;
  if (!(body instanceof Uint8Array)) return readStream(body.stream(), limit, new HeldAnswer(answered));
  if (body.byteLength > limit) throw tooLong();
  return body;
}

async function readStream(
  body: ReadableStream<Uint8Array>,
  limit: number,
  held: HeldAnswer,
): Promise<Uint8Array> {
  const reader = body.getReader();
  const whole = new ByteAccumulator(limit);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return whole.whole();
      if (whole.size() + value.byteLength > limit) throw tooLong();
      whole.add(value);
      held.report(whole.held());
    }
  } catch (error) {
    cancelBody(reader, error);
    throw error;
  }
}
