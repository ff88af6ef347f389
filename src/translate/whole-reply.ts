/** A translated answer that is not streamed: a stream of one event, collected again. */

import { collector } from '../conversation/collect.ts';
import type { ReplyEvent } from '../conversation/reply.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Sse } from '../streams/sse.ts';
import { fuse, run, type Step } from '../streams/step.ts';
import { type AnswerTranslation, answerEvents } from './answer-events.ts';

/**
 * Translates a complete answer.
 * @param decode turns its bytes into events.
 * @returns the body of the response in the caller's format.
 * @throws GatewayError if the answer is a failure, or none at all.
 */
export function wholeReply<T>(
  translation: AnswerTranslation,
  decode: Step<T, Sse>,
  pieces: Iterable<T>,
): JsonObject {
  const folded = collector();
  const fold: Step<ReplyEvent, never> = { transform: (event) => folded.add(event) };
  run(fuse(fuse(decode, answerEvents(translation)), fold), pieces);
  return translation.inbound.renderReply(folded.reply(), translation.asked);
}
