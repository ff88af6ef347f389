/** The bodies of replies that are read or written whole. */

import { bytesOfText } from '../../lib/bytes.ts';
import { wholeBody } from '../../streams/whole-body.ts';
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
 * @throws GatewayError if it is longer, or breaks off.
 */
export function readWhole(answered: VendorAnswer, limit: number): Uint8Array | Promise<Uint8Array> {
  const { body } = answered.answer;
  if (!(body instanceof Uint8Array)) {
    const held = new HeldAnswer(answered);
    return wholeBody(body.stream(), limit, tooLong, (bytes) => held.report(bytes));
  }
  if (body.byteLength > limit) throw tooLong();
  return body;
}
