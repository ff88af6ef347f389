/** Stops the parsing of requests on a connection whose client keeps sending. */

import type { Socket } from 'node:net';

/**
 * Reads and discards the bytes of a connection from now on: they are not parsed, and they start no request. Node still
 * parses what it has read already.
 */
export function stopParsing(socket: Socket): void {
  socket.off('resume', socket.pause);
  // Node's parser consumes the bytes below JavaScript until another listener is added, and from then on through a
  // listener as well.
  socket.removeAllListeners('data');
  socket.on('data', () => {});
  socket.resume();
}
