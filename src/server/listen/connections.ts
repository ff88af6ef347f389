/** The connections that a server has. */

import type { Server } from 'node:http';
import { Socket } from 'node:net';

export interface Connections {
  open(): Iterable<Socket>;
  /** Resolves when there is none. */
  over(): Promise<void>;
}

/** Tracks them by the server's own event: Node counts only those that a server has accepted by itself. */
export function trackConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  const over = new Set<() => void>();
  server.on('connection', (socket) => {
    // Exchanges of WebSockets have a connection in memory, which ends with them.
    if (!(socket instanceof Socket)) return;
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size > 0) return;
      for (const resolve of over) resolve();
      over.clear();
    });
  });
  return {
    open: () => sockets,
    over: () =>
      new Promise((resolve) => {
        if (sockets.size === 0) resolve();
        else over.add(resolve);
      }),
  };
}
