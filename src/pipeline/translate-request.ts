/**
 * The request to the vendor: with the caller's body on the native path, otherwise parsed and rendered in the vendor's
 * format.
 */

import { atOnce, inTurns } from './body/in-turns.ts';
import { LONG_BODY } from './body/scanned.ts';
import type { Prepared, Routed } from './exchange.ts';
import { nativeRequest, type RequestOptions } from './request/native-request.ts';
import { isNative } from './request/request-kind.ts';
import { translatedRequest } from './request/translated-request.ts';

/**
 * Makes the stage that prepares the request to the vendor. Other work has its turn while it translates a long body.
 * @throws as `prepareRequest` does.
 */
export function translateRequest(options: RequestOptions): (routed: Routed) => Prepared | Promise<Prepared> {
  const prepare = prepareRequest(options);
  return (routed) =>
    isNative(routed) || routed.body.length < LONG_BODY ? prepare(routed) : inTurns(translatedRequest(routed));
}

/**
 * Makes the function that prepares the request to the vendor.
 * @throws GatewayError `invalid-request` for what is not valid in the caller's format, or cannot be expressed in the
 *   vendor's.
 */
export function prepareRequest({ askUsage }: RequestOptions): (routed: Routed) => Prepared {
  return (routed) => (isNative(routed) ? nativeRequest(routed, askUsage) : atOnce(translatedRequest(routed)));
}
