/** A native answer, unchanged unless it is an error with a status of success. */

import { formats } from '../../formats/formats.ts';
import { concatBytes, textOfBytes } from '../../lib/bytes.ts';
import type { GatewayError } from '../../lib/errors.ts';
import { cancelBody } from '../../streams/cancel-body.ts';
import { firstNonSpace } from '../../streams/first-non-space.ts';
import { run } from '../../streams/step.ts';
import { eventStreamHeaders, isEventStream, responseHeaders } from '../../upstream/headers.ts';
import { hiddenInJson, hiding, withoutSecretsIn } from '../../upstream/redact.ts';
import type { RenderedReply, VendorAnswer } from '../exchange.ts';
import { type EarlyFailure, failureInBody } from './early-failure.ts';
import { FailureHider } from './hide-failures.ts';
import { noAnswer } from './no-answer.ts';
import { withBody } from './reply-body.ts';
import { withWait } from './vendor-wait.ts';

/** The first byte of a page. */
const LESS_THAN = 0x3c;

/**
 * Makes the reply from a native answer.
 * @param hold milliseconds that the head of a stream waits for the first event, so that a failure can have its own
 *   status.
 * @throws GatewayError if the body is not an answer, or if the vendor refuses the gateway's own key.
 */
export function nativeReply(answered: VendorAnswer, hold: number): RenderedReply | Promise<RenderedReply> {
  const { id, route, answer, secret, limitHeaders, ledger } = answered;
  const { status } = answer;
  const body = answer.body instanceof Uint8Array ? answer.body : answer.body.stream();
  const type = String(answer.headers['content-type']);
  if (isPage(type, body)) throw noAnswer(answered);
  const headers = responseHeaders(answer.headers, hiding(secret));
  const isStream = isEventStream(answer.headers);
  const shown = isStream ? { ...eventStreamHeaders(headers), 'content-type': type } : headers;
  const reply = { id, format: route.format, status, headers: shown, body, limitHeaders, ledger };
  return isStream ? streamReply(reply, answered, hold) : wholeReply(reply, answered);
}

/** Whether an answer is a page, which a browser would show as one of the gateway's own. */
function isPage(type: string, body: RenderedReply['body']): boolean {
  return (
    /^[^;]*(?:html|xml)/i.test(type) || (body instanceof Uint8Array && firstNonSpace(body) === LESS_THAN)
  );
}

/** A non-streaming body. Routers report the late error of a vendor in a 200; such an error counts as a refusal. */
function wholeReply(reply: RenderedReply, answered: VendorAnswer): RenderedReply {
  const { upstreamFormat, route } = answered;
  const { body, status } = reply;
  if (status !== 200 || route.operation !== 'generate' || !(body instanceof Uint8Array)) return reply;
  const error = failureInBody(body, formats[upstreamFormat].outbound);
  if (error === undefined) return reply;
  const text = textOfBytes(body);
  return asRefusal(withBody(reply, text, hiddenInJson(text, answered.secret)), error, answered);
}

/** A stream. If it begins with an error it counts as a refusal, so that another upstream can still be asked. */
function streamReply(
  reply: RenderedReply,
  answered: VendorAnswer,
  hold: number,
): RenderedReply | Promise<RenderedReply> {
  const { beginning, upstreamFormat, secret } = answered;
  const given = (failure: EarlyFailure | undefined): RenderedReply => {
    if (failure === undefined) return reply;
    cancelBody(reply.body);
    const hider = new FailureHider(formats[upstreamFormat].outbound, secret);
    const body = concatBytes(run(hider, [failure.bytes]));
    return asRefusal({ ...reply, body }, failure.error, answered);
  };
  const waited = beginning?.failure(hold);
  return waited === undefined ? reply : waited.then(given);
}

/** @throws GatewayError if the vendor refuses the gateway's own key. */
function asRefusal(
  reply: RenderedReply,
  error: GatewayError,
  { answer, secret, ledger }: VendorAnswer,
): RenderedReply {
  // No part of an answer has come.
  ledger.output = undefined;
  // The fault is noted only when the caller is answered: another vendor may still answer, or the caller may leave
  // first.
  ledger.fault = undefined;
  ledger.cause = undefined;
  if (error.fault === 'upstream-auth') throw error;
  return { ...reply, refusal: withWait(withoutSecretsIn(error, secret), answer) };
}
