/** The vendor's answer: a head, and a body still coming. */

import type { Dispatcher } from 'undici';
import { GatewayError } from '../errors.ts';
import { send } from '../vendors/send.ts';
import type { Answered, Prepared } from './exchange.ts';

export interface UpstreamTimeouts {
  /** Milliseconds until the head of the answer. */
  readonly firstByte: number;
  /** Milliseconds of silence between two pieces of the body. */
  readonly idle: number;
}

export function upstream(
  agent: Dispatcher,
  timeouts: UpstreamTimeouts,
): (prepared: Prepared) => Promise<Answered> {
  return async (prepared) => {
    const answer = await send(
      agent,
      {
        origin: prepared.vendor.origin,
        path: prepared.path,
        headers: prepared.headers,
        body: prepared.payload,
        headersTimeout: timeouts.firstByte,
        bodyTimeout: timeouts.idle,
      },
      prepared.signal,
    );
    // A redirect followed would carry the vendor's key to wherever it points.
    if (answer.status >= 300 && answer.status < 400) {
      await answer.body.cancel();
      throw new GatewayError('upstream-broken', 'The upstream answered with a redirect.');
    }
    return { ...prepared, answer };
  };
}
