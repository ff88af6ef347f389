/** Closes a listener without losing a connection. */

import { Server, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface PortListener {
  /** The port that callers connect to. */
  readonly port: number;
  /** Accepts every connection that is in the queue, and then no more. */
  close(): Promise<void>;
}

/** Turns of the event loop without a connection after which the system's queue counts as empty. */
const QUIET_TURNS = 2;

/**
 * The longest turn that counts, in milliseconds. A turn looks at the queue first, and then does its work, during which
 * more may come: the listener closes behind a turn in which hardly any time was left for that.
 */
const SHORT_TURN = 1;

/** How long a process that has no short turns waits without a connection, in milliseconds. */
const QUIET_TIME = 10;

/** The longest wait for that, in milliseconds: callers that keep coming are turned away in the end. */
const MAX_WAIT = 5_000;

/**
 * Makes a server stop listening. Closing a listener resets the connections in its queue, whose callers have already sent
 * their requests. The queue does not run empty while callers are served, since each caller with an answer comes again. So
 * new connections are held until no more come, and served when the listener is closed.
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
    // A connection in memory never waits in the queue.
    if (!isHolding || !(connection instanceof Socket)) {
      deliver(connection);
      return;
    }
    arrived += 1;
    held.add(connection);
    connection.on('error', ignore);
  });
  await waitUntilQuiet(() => arrived);
  // An HTTP server's own close would end connections that seem idle because they have not been read yet, and would stop
  // checking for heads and bodies that take too long.
  Server.prototype.close.call(server);
  isHolding = false;
  for (const socket of held) {
    socket.off('error', ignore);
    if (!socket.destroyed) deliver(socket);
  }
}

/** Waits until the queue counts as empty. @param count tells how many connections have come so far. */
async function waitUntilQuiet(count: () => number): Promise<void> {
  let now = performance.now();
  const end = now + MAX_WAIT;
  let lastArrival = now;
  let turns = 0;
  let shortTurns = 0;
  while (now < end) {
    const [before, began] = [count(), now];
    await nextTurn();
    now = performance.now();
    const hasCome = count() > before;
    if (hasCome) lastArrival = now;
    turns = hasCome ? 0 : turns + 1;
    shortTurns = hasCome || now - began >= SHORT_TURN ? 0 : shortTurns + 1;
    if (shortTurns >= QUIET_TURNS) return;
    if (turns >= QUIET_TURNS && now >= lastArrival + QUIET_TIME) return;
  }
}

function ignore(): void {}
