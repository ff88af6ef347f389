/** The bodies of replies that are read or written whole. */

import { bytesOfText } from '../lib/bytes.ts';
import { wholeBody } from '../streams/whole-body.ts';
import { tooLong } from './decode-body.ts';
import type { Answered, Replied } from './exchange.ts';
import { holding } from './held-answer.ts';

/** A reply with `shown` as its body, where that is another text than `text`, the body that it has. */
export function withBody(reply: Replied, text: string, shown: string): Replied {
  if (shown === text) return reply;
  const { 'content-length': _, ...headers } = reply.headers;
  return { ...reply, headers, body: bytesOfText(shown) };
}

/** All of an answer's body. @param limit the most bytes. @throws GatewayError where it is longer, or breaks off. */
export async function readWhole(answered: Answered, limit: number): Promise<Uint8Array> {
  const { body } = answered.answer;
  if (!(body instanceof Uint8Array)) return wholeBody(body, limit, tooLong, holding(answered));
  if (body.byteLength > limit) throw tooLong();
  return body;
}
