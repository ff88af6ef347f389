/** The open connections of a server. */

import type { Server } from 'node:http';
import { Socket } from 'node:net';

export interface Connections {
  open(): Iterable<Socket>;
  /** Resolves when none is open. */
  allClosed(): Promise<void>;
}

/** Tracks connections by the server's event: Node itself counts only those that the server has accepted. */
export function trackConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  server.on('connection', (socket) => {
    // The exchanges of WebSockets have connections in memory, which end with them.
    if (!(socket instanceof Socket)) return;
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting.clear();
    });
  });
  return {
    open: () => sockets,
    allClosed: () =>
      new Promise((resolve) => {
        if (sockets.size === 0) resolve();
        else waiting.add(resolve);
      }),
  };
}
