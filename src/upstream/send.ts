/** Sends requests to vendors, and cancels answers: through undici's dispatch, without redirects and retries. */

import type { GatewayError } from '../lib/errors.ts';
import type { Signal } from '../lib/light-signal.ts';
import { PushBody } from '../streams/push-body.ts';
import type { VendorAgent } from './origin-agent.ts';
import type { TimeoutClock } from './timeout-clock.ts';
import type { UpstreamAnswer, UpstreamRequest } from './upstream-answer.ts';
import { UpstreamExchange } from './upstream-exchange.ts';

/**
 * Sends a request and returns the head of the answer while its body is still arriving. An event stream is returned as
 * soon as its head is there; any other answer with the first bytes of its body, because until then a failure can still
 * have a status of its own.
 * @param clock the timeouts.
 * @param signal aborts the exchange, before the head and after it. If its reason is a GatewayError, the exchange ends
 *   with that.
 * @throws GatewayError `upstream-broken` or `upstream-timeout`; the body fails with the same.
 */
export function send(
  agent: VendorAgent,
  clock: TimeoutClock,
  request: UpstreamRequest,
  signal: Signal,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const { method, origin, path, headers, body } = request;
    const exchange = new UpstreamExchange(agent, clock, request, signal, { resolve, reject });
    // The timeout clock watches the exchange in undici's place.
    const options = {
      origin,
      path,
      method,
      headers,
      body,
      headersTimeout: 0,
      bodyTimeout: 0,
    } as const;
    if (!signal.aborted) agent.dispatch(options, exchange);
  });
}

/**
 * Cancels an answer because of an error. If that is the vendor's, the exchange counts as broken.
 * @returns the error.
 */
export function leftFor(answer: UpstreamAnswer, error: GatewayError): GatewayError {
  leave(answer, error);
  return error;
}

/** Cancels an answer that is not wanted. @param reason the error in it, if that is why. */
export function leave({ body }: UpstreamAnswer, reason?: GatewayError): void {
  if (body instanceof PushBody) body.cancel(reason);
}
