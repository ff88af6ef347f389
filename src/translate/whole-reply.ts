/** A translated answer that is not streamed: a stream of one event, collected again. */

import { collector } from '../conversation/collect.ts';
import type { ReplyEvent } from '../conversation/reply.ts';
import type { JsonObject } from '../lib/json.ts';
import { decodeSse } from '../streams/sse.ts';
import { fuse, type Sink, type Step } from '../streams/step.ts';
import { type AnswerTranslation, answerEvents } from './answer-events.ts';

/**
 * Translates a complete answer.
 * @param text its JSON text.
 * @returns the body of the response in the caller's format.
 * @throws GatewayError if the answer is a failure, or none at all.
 */
export function wholeReply(translation: AnswerTranslation, text: string): JsonObject {
  return collected(translation, answerEvents(translation).step, { data: text, isWhole: true });
}

/**
 * Translates a complete stream to an answer that is not streamed.
 * @param bytes all of the stream.
 * @returns the body of the response in the caller's format.
 * @throws GatewayError if the stream is a failure, or incomplete.
 */
export function wholeReplyOfStream(translation: AnswerTranslation, bytes: Uint8Array): JsonObject {
  return collected(translation, fuse(decodeSse(), answerEvents(translation).step), bytes);
}

function collected<T>(translation: AnswerTranslation, parser: Step<T, ReplyEvent>, answer: T): JsonObject {
  const folded = collector();
  const sink: Sink<ReplyEvent> = { enqueue: folded.add };
  parser.transform(answer, sink);
  parser.flush?.(sink);
  return translation.inbound.renderReply(folded.reply(), translation.asked);
}
