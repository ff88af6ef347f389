/** The vendor's answer: a head, and a body still coming. */

import type { Dispatcher } from 'undici';
import { GatewayError } from '../errors.ts';
import { formats } from '../formats/all.ts';
import { isMetered } from '../limits/limits.ts';
import { carryOn } from '../observe/trace-context.ts';
import { tokensOfRequest } from '../usage/estimate.ts';
import { tapBody } from '../usage/ledger.ts';
import { leftFor, send } from '../vendors/send.ts';
import type { Upstreams } from '../vendors/upstreams.ts';
import type { Answered, Prepared } from './exchange.ts';
import { guardOf } from './guard.ts';

/** Statuses below 300 that promise no answer. */
const EMPTY = new Set([204, 205, 206]);

/** Sends what is prepared, once. @throws GatewayError where no answer comes of it, or none that could be one. */
export function upstream(
  agent: Dispatcher,
  { timeoutClock }: Pick<Upstreams, 'timeoutClock'>,
): (prepared: Prepared) => Promise<Answered> {
  return async (prepared) => {
    const { model, vendor, spoken, attempt, ledger, path, headers, payload, translation, signal } = prepared;
    const { limits } = prepared.principal;
    if (ledger !== undefined) {
      ledger.model = model;
      ledger.vendor = vendor.name;
      ledger.spoken = spoken;
      ledger.attempts += 1;
      // That of the attempt before it.
      ledger.first = undefined;
      ledger.asked = tokensOfRequest(payload);
    }
    const answer = await send(
      agent,
      timeoutClock,
      {
        origin: vendor.origin,
        path,
        headers: ledger?.trace === undefined ? headers : carryOn(headers, ledger.trace.ask()),
        body: payload,
        ...(attempt !== undefined && { timeLeft: attempt.timeLeft }),
        ...(attempt?.ended !== undefined && { ended: attempt.ended }),
        ...(translation === undefined && { guard: (head) => guardOf(formats[spoken], head, ledger) }),
        ...(ledger !== undefined && {
          tap: tapBody(ledger, spoken, isMetered(limits) ? payload : undefined),
        }),
      },
      signal,
    );
    // A redirect followed would carry the vendor's key to wherever it points.
    const { status } = answer;
    if ((status >= 300 && status < 400) || EMPTY.has(status)) {
      const what =
        status < 300 ? 'something that is not an answer' : 'a redirect, which the gateway does not follow';
      throw leftFor(
        answer,
        new GatewayError('upstream-broken', `The upstream answered with ${what} (status ${status}).`),
      );
    }
    return { ...prepared, answer };
  };
}
