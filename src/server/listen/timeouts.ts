/** Bounds on slow callers: who sends too slowly, and who does not read. */

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CallerTimeouts } from '../../pipeline/caller-limits.ts';
import { cutOff } from '../http/cut-off.ts';

/** How often Node looks for requests that take too long; its own choice, 30 s, would be added to every bound. */
const CHECK_INTERVAL = 1_000;

/** Sets a server's bounds; connections that are open keep to those for which their timers run already. */
export function applyTimeouts(server: Server, timeouts: CallerTimeouts): void {
  server.headersTimeout = timeouts.requestHead;
  server.requestTimeout = timeouts.requestBody;
  server.keepAliveTimeout = timeouts.connectionIdle;
  // A connection that has been silent so long, both ways: Node asks its answer what to do (see `closeIfUnread`).
  server.timeout = timeouts.unread;
}

/**
 * Has a server that listens look often for requests that take too long. The interval is an option of createServer,
 * which listhen does not hand on, and it is read when the server begins to listen: Node's own listener of that event
 * reads it again and puts the new timer in the old one's place.
 */
export function checkOften(server: Server): void {
  Object.assign(server, { connectionsCheckingInterval: CHECK_INTERVAL });
  server.emit('listening');
}

/**
 * Closes the connection of an answer whose caller does not read, so that its upstream is aborted.
 * Node's own timer of a socket serves: it is set back by every byte that the caller takes, also where a large piece
 * goes out slowly, and it is there for every socket anyway. Where nothing waits, it is the vendor that is silent.
 */
export function closeIfUnread(response: ServerResponse): void {
  response.on('timeout', closeSocketIfUnread);
}

function closeSocketIfUnread(this: ServerResponse, socket: Socket): void {
  if (socket.writableLength > 0) cutOff(this);
}
