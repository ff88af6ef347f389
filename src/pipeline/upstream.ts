/** The vendor's answer: a head, and a body that is still arriving and is watched inside its own stream. */

import { isMetered } from '../access/limits/limited.ts';
import { carryOn } from '../accounting/traces/trace-context.ts';
import type { Ledger } from '../accounting/usage/ledger.ts';
import { tokensOfRequest } from '../accounting/usage/output-estimate.ts';
import { mayRepeat } from '../accounting/usage/top-level-member.ts';
import { GatewayError } from '../lib/errors.ts';
import type { CloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { findRequestId } from '../upstream/headers.ts';
import type { VendorAgent } from '../upstream/origin-agent.ts';
import type { Payload } from '../upstream/payload.ts';
import type { Upstreams } from '../upstream/pool/upstreams.ts';
import { leftFor, send } from '../upstream/send.ts';
import type { TimeoutClock } from '../upstream/timeout-clock.ts';
import type { Ending } from '../upstream/upstream-answer.ts';
import { recordedName, upstreamName } from '../upstream/vendor.ts';
import { atOnce, inTurns } from './body/in-turns.ts';
import { NO_CONTENT, type Prepared, type VendorAnswer } from './exchange.ts';
import type { Beginning } from './reply/early-failure.ts';
import { observeNative, observeTranslated } from './reply/observe-native.ts';
import { type AskedRequest, withCredentials } from './with-credentials.ts';

/** Statuses below 300 that do not come with an answer. */
const EMPTY = new Set([NO_CONTENT, 205, 206]);

/**
 * Makes the stage that sends the prepared request once; or twice, if a vendor no longer accepts a cloud's token.
 * @throws GatewayError `upstream-broken` for a redirect or a status without a body, and what `send` and
 *   `withCredentials` throw.
 */
export function upstream(
  agent: VendorAgent,
  { timeoutClock }: Pick<Upstreams, 'timeoutClock'>,
  cloudTokens: CloudTokens,
): (prepared: Prepared) => Promise<VendorAnswer> {
  return async (prepared) => {
    const { model, vendor, upstreamFormat, headers, attempt, ledger } = prepared;
    ledger.model = model;
    ledger.upstreamModel = model && upstreamName(vendor, model);
    ledger.vendor = recordedName(vendor);
    ledger.spoken = upstreamFormat;
    const { answer, secret, beginning } =
      vendor.credentials === undefined
        ? await ask(agent, timeoutClock, prepared, headers, vendor.key, attempt?.ended)
        : await askWithCredentials(agent, timeoutClock, cloudTokens, prepared);
    // A redirect is not followed: that would carry the vendor's key to wherever it points.
    const { status } = answer;
    // A deletion may be answered without content (RFC 9110, 9.3.5).
    const isEmpty = EMPTY.has(status) && !(status === NO_CONTENT && prepared.method === 'DELETE');
    if ((status >= 300 && status < 400) || isEmpty) {
      const what =
        status < 300 ? 'something that is not an answer' : 'a redirect, which the gateway does not follow';
      throw leftFor(
        answer,
        new GatewayError('upstream-broken', `The upstream answered with ${what} (status ${status}).`),
      );
    }
    return { ...prepared, answer, secret, beginning };
  };
}

function askWithCredentials(
  agent: VendorAgent,
  timeoutClock: TimeoutClock,
  cloudTokens: CloudTokens,
  prepared: Prepared,
): Promise<AskedRequest> {
  const { vendor, method, path, headers, payload, attempt, signal } = prepared;
  const request = { method, origin: vendor.origin, path, headers, body: payload } as const;
  return withCredentials(cloudTokens, { vendor, request, signal, ended: attempt?.ended }, (...given) =>
    ask(agent, timeoutClock, prepared, ...given),
  );
}

/** Runs one exchange with the vendor, and counts it in the ledger. */
async function ask(
  agent: VendorAgent,
  timeoutClock: TimeoutClock,
  prepared: Prepared,
  headers: string[],
  secret: string,
  ended: ((how: Ending) => void) | undefined,
): Promise<AskedRequest> {
  const { vendor, attempt, ledger, method, path, payload, signal } = prepared;
  ledger.attempts += 1;
  // These still hold what the previous attempt has left.
  ledger.first = undefined;
  ledger.upstreamId = undefined;
  const sent = ledger.isRecorded ? noteSent(ledger, tokensOfRequest(...payload.pieces)) : undefined;
  const searched = searchForRepeated(prepared);
  const repeats = searched instanceof Promise ? await searched : searched;
  let beginning: Beginning | undefined;
  const answer = await send(
    agent,
    timeoutClock,
    {
      method,
      origin: vendor.origin,
      path,
      headers: withLength(
        ledger.trace === undefined ? headers : carryOn(headers, ledger.trace.ask()),
        payload,
      ),
      body: payload.forDispatch(),
      timeLeft: attempt?.timeLeft,
      sent,
      ended,
      observe(head) {
        ledger.upstreamId = findRequestId(head.headers);
        if (prepared.translation !== undefined) return observeTranslated(prepared, head, repeats);
        const native = observeNative(prepared, secret, head, repeats);
        beginning = native.beginning;
        return native.observer;
      },
    },
    signal,
  );
  return { answer, secret, beginning };
}

/** What the vendor is asked is estimated once it is sent: a caller who leaves before owes nothing for it. */
function noteSent(ledger: Ledger, tokens: number): () => void {
  return () => {
    ledger.asked = tokens;
  };
}

/** The headers of a body that is sent in slices tell its length. Of any other, undici does. */
function withLength(headers: string[], payload: Payload): string[] {
  return payload.isReadOnce() ? [...headers, 'content-length', String(payload.byteLength)] : headers;
}

/** Whether the answer may repeat the request where the usage stands: to look costs 3 µs a KB, in turns if it is long. */
function searchForRepeated({
  ledger,
  upstreamFormat,
  principal,
  payload,
}: Prepared): boolean | Promise<boolean> {
  if (upstreamFormat !== 'responses' || !ledger.isRecorded || !isMetered(principal)) return false;
  const search = mayRepeat(payload.pieces);
  return payload.isLong() ? inTurns(search) : atOnce(search);
}
