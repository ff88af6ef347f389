/** Ends the reading of requests on a connection that goes on to send. */

import type { Socket } from 'node:net';

/**
 * From now on, what a connection sends is read and thrown away: it costs no parsing, and it begins no request. What Node
 * has read already, it still parses.
 */
export function stopParsing(socket: Socket): void {
  socket.off('resume', socket.pause);
  // Node's parser takes the bytes below JavaScript until somebody else listens for them, and then by a listener too.
  socket.removeAllListeners('data');
  socket.on('data', () => {});
  socket.resume();
}
