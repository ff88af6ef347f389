/** Where a server's connections come from, and how that ends without losing one of them. */

import { Server, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Entrance {
  /** The port that callers connect to. */
  readonly port: number;
  /** Lets in everybody who has connected, and then nobody else. */
  close(): Promise<void>;
}

/** Turns of the event loop without a connection after which the system's queue counts as empty. */
const QUIET_TURNS = 2;

/** How long to wait for them at most, in milliseconds: callers who come without end are turned away in the end. */
const LONGEST_WAIT = 5_000;

/**
 * Has a server stop listening. Whoever closes a listener resets the connections in its queue, whose callers have sent
 * their requests already. That queue does not run empty while callers are served, since each one who has an answer comes
 * again: so connections that come are only held until none comes any more, and served when the listener is closed.
 */
export async function stopListening(server: Server): Promise<void> {
  const listeners = server.listeners('connection');
  const deliver = (connection: unknown): void => {
    for (const listener of listeners) Reflect.apply(listener, server, [connection]);
  };
  const held = new Set<Socket>();
  let isHolding = true;
  let arrived = 0;
  server.removeAllListeners('connection');
  server.on('connection', (connection) => {
    // A connection in memory has no queue.
    if (!isHolding || !(connection instanceof Socket)) {
      deliver(connection);
      return;
    }
    arrived += 1;
    held.add(connection);
    connection.on('error', ignore);
  });
  const end = performance.now() + LONGEST_WAIT;
  for (let quiet = 0, before = 0; quiet < QUIET_TURNS && performance.now() < end; before = arrived) {
    await nextTurn();
    quiet = arrived === before ? quiet + 1 : 0;
  }
  // Not as a server of HTTP closes: it would end connections that it takes for idle, because it has not read them yet, and
  // would not look for heads and bodies that take too long any more.
  Server.prototype.close.call(server);
  isHolding = false;
  for (const socket of held) {
    socket.off('error', ignore);
    if (!socket.destroyed) deliver(socket);
  }
}

function ignore(): void {}
