/** The request for a WebSocket: which path has one, and why a caller may be refused. */

import type { CallerRequest } from '../../access/caller.ts';
import type { Principal } from '../../access/principal.ts';
import { asGatewayError, GatewayError } from '../../lib/errors.ts';
import { type Authenticators, authenticateCaller } from '../../pipeline/authenticate.ts';
import { faultOfHead, parseQuery, rawPath } from '../../pipeline/request/request-head.ts';
import type { SocketCounter } from './socket-counter.ts';

/** The path that has a WebSocket. As for other requests, a slash at its end is ignored. */
const PATH = /^\/v1\/responses\/?$/;

/** @returns whether a request asks for a WebSocket on the path that has one */
export function isHandshake(request: CallerRequest): boolean {
  const { method, headers } = request;
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && PATH.test(rawPath(request));
}

/**
 * @returns who asks; a promise only if a token must be verified first
 * @throws GatewayError (or rejects with it) if the caller is not authenticated, as `authenticateCaller` does
 */
export function findPrincipal(
  request: CallerRequest,
  authenticators: Authenticators,
): Principal | Promise<Principal> {
  return authenticateCaller(authenticators, 'responses', request, parseQuery(request));
}

/**
 * @returns who asks, if that is known at once. Undefined also for a caller who is no longer admitted: the next request
 *   reports that.
 */
export function findKnownPrincipal(
  request: CallerRequest,
  authenticators: Authenticators,
): Principal | undefined {
  try {
    const holder = findPrincipal(request, authenticators);
    if (!(holder instanceof Promise)) return holder;
    holder.catch(() => {});
    return undefined;
  } catch {
    return undefined;
  }
}

/** Who may have a WebSocket, or why there is none. */
export type HandshakeResult = Principal | GatewayError;

/**
 * Decides on a request for a WebSocket.
 * @param isOpen whether more work is accepted
 * @param counter whether a key may open another WebSocket
 * @returns who asks, or why there is no WebSocket; a promise only if a token must be verified first. It never throws or
 *   rejects.
 */
export function checkHandshake(
  request: CallerRequest,
  authenticators: Authenticators,
  isOpen: boolean,
  room: Pick<SocketCounter, 'refusal'>,
): HandshakeResult | Promise<HandshakeResult> {
  const fault = faultOfHead(request);
  if (fault !== undefined) return fault;
  if (!isOpen) {
    return new GatewayError('overloaded', 'The gateway is not accepting WebSockets right now.', {
      retryAfter: 1,
    });
  }
  const withinLimits = (holder: Principal): HandshakeResult => room.refusal(holder.name) ?? holder;
  try {
    const holder = findPrincipal(request, authenticators);
    return holder instanceof Promise ? holder.then(withinLimits, asGatewayError) : withinLimits(holder);
  } catch (error) {
    return asGatewayError(error);
  }
}
