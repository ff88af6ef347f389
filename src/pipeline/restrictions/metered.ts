/** Native requests of callers whose usage is limited: nothing in them may keep an answer from being counted. */

import type { IncomingHttpHeaders } from 'node:http';
import { ALT_NAMES } from '../../formats/generate-content/wire/alt.ts';
import { invalid } from '../../lib/errors.ts';
import type { Query } from '../../lib/query.ts';
import { isSet } from '../body/scanned.ts';
import type { Routed } from '../exchange.ts';

/** The values of `alt` whose answers have readable usage. */
const READABLE = /^(?:json|sse)(?:;enum-encoding=(?:int|string))?$/;

/**
 * What is sent to Google of a caller's query and headers. Google's system parameters, in both of them, choose which
 * fields an answer has (`fields`, `X-Goog-FieldMask`) and in which encoding it is written (`alt=proto`, `callback`),
 * for every method (https://cloud.google.com/apis/docs/system-parameters). Without them the answer has all of its
 * fields, as JSON.
 */
export function askingAll(
  query: Query,
  headers: IncomingHttpHeaders,
): { readonly query: Query; readonly headers: IncomingHttpHeaders } {
  const kept = ALT_NAMES.flatMap((name) => {
    const value = query.get(name);
    return value !== null && READABLE.test(value) ? [[name, value]] : [];
  });
  return {
    query: new URLSearchParams(kept),
    headers: withoutParameters(headers),
  };
}

/** A person in Anthropic's account whom a request is for: in its SDKs the field `user_profile_id`. */
const USER_PROFILE = 'anthropic-user-profile-id';

/**
 * A caller's headers without those that a restricted key may not send as fields or parameters either: Google's system
 * parameters, one of which routes a call (`x-goog-request-params`), and USER_PROFILE.
 */
export function withoutParameters(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => name !== USER_PROFILE && (!name.startsWith('x-goog-') || name === 'x-goog-api-client'),
    ),
  );
}

/**
 * Refuses a background response: the vendor works on it after its exchange is over, and what it has used is known only
 * when somebody fetches it, which nobody has to.
 * @throws GatewayError `invalid-request`
 */
export function refuseBackground(routed: Pick<Routed, 'body' | 'scan'>): void {
  if (!isSet(routed, 'background')) return;
  throw invalid(
    "'background' is not available to this API key, because its limits cannot count what runs in the background: leave it out, and use 'stream' for long answers.",
    'background',
  );
}
