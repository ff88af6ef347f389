/** The end of a connection whose client keeps sending: what it sends is not parsed, and not met with a reset at once. */

import type { Socket } from 'node:net';

/** Milliseconds for which a client whose requests are not read any more may keep sending, so that it can read its answer. */
const LINGER = 1_000;

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

/** Cuts a connection in a moment, unless its client closes it before. */
export function cutLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
