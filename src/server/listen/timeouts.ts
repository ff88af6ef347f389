/** Bounds on slow callers: those who send too slowly, and those who do not read. */

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config/schema.ts';
import { cutOff } from '../http/cut-off.ts';

/** How often Node looks for requests that take too long; its own choice, 30 s, would be added to every bound. */
const CHECK_INTERVAL = 1_000;

/** What the configuration says of callers. */
export type CallerTimeouts = Pick<
  Config['timeouts'],
  'requestHead' | 'requestBody' | 'connectionIdle' | 'unread'
>;

/** Sets a server's bounds. Open connections keep the bounds that their timers run for already. */
export function applyTimeouts(server: Server, timeouts: CallerTimeouts): void {
  server.headersTimeout = timeouts.requestHead;
  server.requestTimeout = timeouts.requestBody;
  server.keepAliveTimeout = timeouts.connectionIdle;
  // Node asks the answer what to do about a connection that has been silent in both directions (see `closeIfUnread`).
  server.timeout = timeouts.unread;
}

/**
 * Makes a listening server check often for requests that take too long. The interval is an option of createServer,
 * which listhen does not pass on, and it is read when the server begins to listen: Node's own listener of that event
 * reads it again and replaces the timer.
 */
export function setCheckInterval(server: Server): void {
  Object.assign(server, { connectionsCheckingInterval: CHECK_INTERVAL });
  server.emit('listening');
}

/**
 * Closes the connection of an answer whose caller does not read, so that its upstream is aborted.
 * It uses Node's own timer of the socket, which every byte that the caller takes resets, also while a large chunk goes
 * out slowly, and which every socket has anyway. If nothing waits to be written, it is the vendor that is silent.
 */
export function closeIfUnread(response: ServerResponse): void {
  response.on('timeout', closeSocketIfUnread);
}

function closeSocketIfUnread(this: ServerResponse, socket: Socket): void {
  if (socket.writableLength > 0) cutOff(this);
}
