/**
 * Requests with an `Upgrade` that is not taken. Node's parser pauses at the end of such a request (llhttp,
 * `HPE_PAUSED_UPGRADE`), and Node discards what came behind it in the same read. It takes the next read for the start of
 * a request, although it may be the middle of one: a body would be read as a request of its own.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The most fields of a head whose size is trusted. The size is known only if a space follows each colon; without these
 * spaces a caller can hide one byte for each field. That many bytes are fewer than the shortest request has.
 */
const MAX_FIELDS = 16;

/**
 * Makes the answer to a request with an `Upgrade` the last one of its connection if more than that request has arrived,
 * or if that cannot be excluded. Java's client offers HTTP/2 with each request, and its connections are kept: it sends a
 * request when the one before it is answered.
 * @returns what to call with each request when its head has been read
 */
export function declineUpgrades(): (request: IncomingMessage, response: ServerResponse) => void {
  /** How many bytes the requests of a connection take. The value is too small if some have not been counted. */
  const counted = new WeakMap<Socket, number>();

  return (request, response) => {
    const { headers, socket } = request;
    if (headers.upgrade === undefined || !headers.connection?.toLowerCase().includes('upgrade')) return;
    const end = (counted.get(socket) ?? 0) + requestSize(request);
    counted.set(socket, end);
    if (socket.bytesRead === end) return;
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    request.once('end', () => {
      if (socket.bytesRead === end && !response.headersSent) response.shouldKeepAlive = shouldKeepAlive;
    });
  };
}

/** @returns how many bytes a request takes; NaN if that cannot be known. */
function requestSize({ method = '', url = '', httpVersion, rawHeaders, headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined || rawHeaders.length > 2 * MAX_FIELDS) return Number.NaN;
  const startLine = `${method} ${url} HTTP/${httpVersion}\r\n`.length;
  // Each name is followed by `: `, and each value by a line break.
  const fields = rawHeaders.reduce((size, part) => size + part.length + 2, 0);
  return startLine + fields + '\r\n'.length + Number(headers['content-length'] ?? 0);
}
