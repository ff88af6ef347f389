/** Ends the reading of requests on a connection that goes on to send. */

import type { Socket } from 'node:net';

/**
 * From now on, the bytes of a connection are read and thrown away: they are not parsed, and they begin no request. Node
 * still parses what it has read already.
 */
export function stopParsing(socket: Socket): void {
  socket.off('resume', socket.pause);
  // Node's parser consumes the bytes below JavaScript until another listener is added, and then through a listener too.
  socket.removeAllListeners('data');
  socket.on('data', () => {});
  socket.resume();
}
