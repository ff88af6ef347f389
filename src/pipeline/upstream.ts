/** The vendor's answer: a head, and a body still coming. */

import type { Dispatcher } from 'undici';
import { isMetered } from '../access/limits/limits.ts';
import { carryOn } from '../accounting/traces/trace-context.ts';
import { observeBody } from '../accounting/usage/ledger.ts';
import { tokensOfRequest } from '../accounting/usage/output-estimate.ts';
import { formats } from '../formats/formats.ts';
import { GatewayError } from '../lib/errors.ts';
import type { CloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import type { Upstreams } from '../upstream/pool/upstreams.ts';
import { type Ending, leftFor, send, type UpstreamAnswer } from '../upstream/send.ts';
import type { TimeoutClock } from '../upstream/timeout-clock.ts';
import { recordedName } from '../upstream/vendor.ts';
import { detectTruncation } from './detect-truncation.ts';
import type { Answered, Prepared } from './exchange.ts';
import { type Passed, withCredentials } from './with-credentials.ts';

/** Statuses below 300 that promise no answer. */
const EMPTY = new Set([204, 205, 206]);

/**
 * Sends what is prepared, once; or twice, where a vendor no longer takes a cloud's token.
 * @throws GatewayError where no answer comes of it, or none that could be one.
 */
export function upstream(
  agent: Dispatcher,
  { timeoutClock }: Pick<Upstreams, 'timeoutClock'>,
  passes: CloudTokens,
): (prepared: Prepared) => Promise<Answered> {
  return async (prepared) => {
    const { model, vendor, upstreamFormat: spoken, headers, attempt, ledger } = prepared;
    if (ledger !== undefined) {
      ledger.model = model;
      ledger.vendor = recordedName(vendor);
      ledger.spoken = spoken;
    }
    const { answer, secret } =
      vendor.credentials === undefined
        ? { answer: await ask(agent, timeoutClock, prepared, headers, attempt?.ended), secret: vendor.key }
        : await passed(agent, timeoutClock, passes, prepared);
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
    return { ...prepared, answer, secret };
  };
}

function passed(
  agent: Dispatcher,
  timeoutClock: TimeoutClock,
  passes: CloudTokens,
  prepared: Prepared,
): Promise<Passed> {
  const { vendor, path, headers, payload, attempt, signal } = prepared;
  const request = { method: 'POST', origin: vendor.origin, path, headers, body: payload } as const;
  return withCredentials(passes, { vendor, request, signal, ended: attempt?.ended }, (own, ended) =>
    ask(agent, timeoutClock, prepared, own, ended),
  );
}

/** One exchange, of which the record is told. */
function ask(
  agent: Dispatcher,
  timeoutClock: TimeoutClock,
  {
    vendor,
    upstreamFormat: spoken,
    attempt,
    ledger,
    path,
    payload,
    translation,
    signal,
    principal,
  }: Prepared,
  headers: string[],
  ended: ((how: Ending) => void) | undefined,
): Promise<UpstreamAnswer> {
  if (ledger !== undefined) {
    ledger.attempts += 1;
    // That of the attempt before it.
    ledger.first = undefined;
    ledger.asked = tokensOfRequest(payload);
  }
  return send(
    agent,
    timeoutClock,
    {
      origin: vendor.origin,
      path,
      headers: ledger?.trace === undefined ? headers : carryOn(headers, ledger.trace.ask()),
      body: payload,
      ...(attempt !== undefined && { timeLeft: attempt.timeLeft }),
      ...(ended !== undefined && { ended }),
      ...(translation === undefined && { guard: (head) => detectTruncation(formats[spoken], head, ledger) }),
      ...(ledger !== undefined && {
        tap: observeBody(ledger, spoken, isMetered(principal) ? payload : undefined),
      }),
    },
    signal,
  );
}
