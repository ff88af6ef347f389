/** The request for a WebSocket: where one can be had, and what is wrong with who asks. */

import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../access/principal.ts';
import { asGatewayError, GatewayError } from '../../lib/errors.ts';
import { type Authenticators, authenticateCaller } from '../../pipeline/authenticate.ts';
import { faultOfHead, queryOf, rawPath } from '../../pipeline/request-head.ts';
import type { SocketRoom } from './room.ts';

const PATH = '/v1/responses';

/** Whether a request asks for a WebSocket where there is one. */
export function isHandshake(request: IncomingMessage): boolean {
  const { method, headers } = request;
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && rawPath(request) === PATH;
}

/** Who asks. @throws GatewayError as `admit`. */
export function holderOf(request: IncomingMessage, doors: Authenticators): Principal | Promise<Principal> {
  return authenticateCaller(doors, 'responses', request, queryOf(request));
}

/** The same, where it is known at once; undefined too of who may not come in any more, as the next request is told. */
export function knownHolder(request: IncomingMessage, doors: Authenticators): Principal | undefined {
  try {
    const holder = holderOf(request, doors);
    if (!(holder instanceof Promise)) return holder;
    holder.catch(() => {});
    return undefined;
  } catch {
    return undefined;
  }
}

/** Who may have a WebSocket, or why not. */
export type Judged = Principal | GatewayError;

/**
 * Who asks for a WebSocket, or why there is none; by a promise only where a token has to be verified first.
 * @param isOpen whether more work is taken.
 * @param room whether a key may open one more.
 */
export function judge(
  request: IncomingMessage,
  doors: Authenticators,
  isOpen: boolean,
  room: Pick<SocketRoom, 'refusal'>,
): Judged | Promise<Judged> {
  const fault = faultOfHead(request);
  if (fault !== undefined) return fault;
  if (!isOpen) {
    return new GatewayError('overloaded', 'The gateway is not accepting WebSockets right now.', {
      retryAfter: 1,
    });
  }
  const withRoom = (holder: Principal): Judged => room.refusal(holder.name) ?? holder;
  try {
    const holder = holderOf(request, doors);
    return holder instanceof Promise ? holder.then(withRoom, asGatewayError) : withRoom(holder);
  } catch (error) {
    return asGatewayError(error);
  }
}
