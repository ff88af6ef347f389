/** A native answer as it is, unless it is an error that came with a status of success. */

import { formats } from '../formats/formats.ts';
import { concatBytes, textOfBytes } from '../lib/bytes.ts';
import type { GatewayError } from '../lib/errors.ts';
import { run } from '../streams/step.ts';
import { eventStreamHeaders, responseHeaders } from '../upstream/headers.ts';
import { hiddenInHeaders, hiddenInJson, tellable } from '../upstream/redact.ts';
import { cancelBody } from '../upstream/send.ts';
import { type EarlyFailure, failureInBody } from './early-failure.ts';
import type { Answered, Replied } from './exchange.ts';
import { hideInFailures } from './hide-failures.ts';
import { noAnswer } from './no-answer.ts';
import { withBody } from './reply-body.ts';
import { withWait } from './vendor-wait.ts';

/**
 * @param hold milliseconds that a stream's head waits for the first event, so that a failure can have its status.
 * @throws GatewayError where the answer is none, or is a refusal of the gateway's own key.
 */
export function nativeReply(answered: Answered, hold: number): Replied | Promise<Replied> {
  const { id, route, answer, secret, allowance, ledger } = answered;
  const { status, body } = answer;
  const type = String(answer.headers['content-type']);
  if (type.startsWith('text/html')) throw noAnswer(answered);
  const headers = hiddenInHeaders(responseHeaders(answer.headers), secret);
  const reply = { id, format: route.format, status, allowance, ledger };
  if (!type.startsWith('text/event-stream')) return wholeReply({ ...reply, headers, body }, answered);
  return streamReply(
    { ...reply, headers: { ...eventStreamHeaders(headers), 'content-type': type }, body },
    answered,
    hold,
  );
}

/** A whole body. One that is an error all the same is a refusal, as routers report the late error of a vendor. */
function wholeReply(reply: Replied, answered: Answered): Replied {
  const { upstreamFormat, route } = answered;
  const { body, status } = reply;
  if (status !== 200 || route.operation !== 'generate' || !(body instanceof Uint8Array)) return reply;
  const error = failureInBody(body, formats[upstreamFormat].outbound);
  if (error === undefined) return reply;
  const text = textOfBytes(body);
  return asRefusal(withBody(reply, text, hiddenInJson(text, answered.secret)), error, answered);
}

/** A stream. One whose first word is that there will be no answer is a refusal: somebody else may still be asked. */
function streamReply(reply: Replied, answered: Answered, hold: number): Replied | Promise<Replied> {
  const { beginning, upstreamFormat, secret } = answered;
  const given = (failure: EarlyFailure | undefined): Replied => {
    if (failure === undefined) return reply;
    if (!(reply.body instanceof Uint8Array)) cancelBody(reply.body);
    const body = concatBytes(run(hideInFailures(formats[upstreamFormat].outbound, secret), [failure.bytes]));
    return asRefusal({ ...reply, body }, failure.error, answered);
  };
  const waited = beginning?.failure(hold);
  return waited === undefined ? reply : waited.then(given);
}

/** @throws GatewayError where it is of the gateway's own key. */
function asRefusal(reply: Replied, error: GatewayError, { answer, secret, ledger }: Answered): Replied {
  // Nothing of an answer has come.
  ledger.output = undefined;
  // Noted where the caller is answered: another vendor may still answer, or the caller leave before that.
  ledger.fault = undefined;
  ledger.cause = undefined;
  if (error.fault === 'upstream-auth') throw error;
  return { ...reply, refusal: withWait(tellable(error, secret), answer) };
}
