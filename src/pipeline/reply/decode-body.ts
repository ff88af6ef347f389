/** A vendor's answer as events, judged by its content type and by its first byte. */

import { GatewayError } from '../../lib/errors.ts';
import type { Pieces } from '../../streams/repeated-events.ts';
import type { Sse } from '../../streams/sse.ts';
import type { Step } from '../../streams/step.ts';
import { decodeByLooks, type Holds, textUnlessStream } from '../../translate/decode-answer.ts';
import { isEventStream } from '../../upstream/headers.ts';
import { leftFor } from '../../upstream/send.ts';
import type { UpstreamAnswer } from '../../upstream/upstream-answer.ts';

/** Content types under which relays also send streams, so they do not say what the body is. */
const UNTYPED = /^(?:application\/(?:(?:[\w.-]+\+)?json|octet-stream)|text\/plain|$)/i;

/**
 * Makes the step from the vendor's bytes to events. A non-streaming body becomes one event.
 * @param pieces of the events' parser, if it takes any.
 * @throws GatewayError if the content type is neither one of events nor one of JSON.
 */
export function decodeBody(
  answer: UpstreamAnswer,
  holds: Holds,
  pieces: Pieces | undefined,
): Step<Uint8Array, Sse> {
  requireAnswer(answer);
  return decodeByLooks(holds, pieces, isEventStream(answer.headers));
}

/** Checks the content type, before anything of the body is read. @throws GatewayError as `decodeBody` does. */
export function requireAnswer(answer: UpstreamAnswer): void {
  const type = answer.headers['content-type'];
  if (type === 'application/json' || isEventStream(answer.headers) || UNTYPED.test(String(type ?? '')))
    return;
  throw notJson(answer);
}

/** The text of a complete body that `decodeBody` would give as one event; undefined for a stream of events. */
export function textUnlessEvents({ headers }: UpstreamAnswer, body: Uint8Array): string | undefined {
  return textUnlessStream(body, isEventStream(headers));
}

/** Makes the error for an answer of another content type, and cancels the answer. */
export function notJson(answer: UpstreamAnswer): GatewayError {
  return leftFor(
    answer,
    new GatewayError('upstream-broken', 'The upstream answered with something that is not JSON.'),
  );
}
