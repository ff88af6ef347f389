/** Pipelined requests (RFC 9112, 9.3.2), one at a time: Node shows them all at once, and each may cost money. */

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '../errors.ts';

/** Resolves when the answers before this one on its connection are out. @throws GatewayError where the caller left. */
export type Turns = (message: IncomingMessage, response: ServerResponse) => Promise<void> | undefined;

/** The turns of a server: each connection's requests one after the other, those of different ones at once. */
export function takeTurns(): Turns {
  const latest = new WeakMap<Socket, ServerResponse>();
  return ({ socket }, response) => {
    const before = latest.get(socket);
    latest.set(socket, response);
    return before === undefined || before.writableFinished ? undefined : after(before, socket);
  };
}

async function after(before: ServerResponse, socket: Socket): Promise<void> {
  if (!before.destroyed) await once(before, 'close');
  if (socket.destroyed) throw new GatewayError('invalid-request', 'The caller left.');
}
