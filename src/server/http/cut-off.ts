/** Ends an incomplete answer. */

import type { ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';

/**
 * Closes an answer's connection so that no caller takes the part it has for the whole. In HTTP/1.0, which nginx speaks to
 * its upstreams by default, an orderly close also ends a complete answer, so there the connection is reset. Node cannot
 * reset a connection with TLS, but without a closing alert it is not closed orderly either (RFC 8446, 6.1).
 */
export function cutOff(response: ServerResponse): void {
  const { socket, req } = response;
  if (req.httpVersion === '1.0' && !(socket instanceof TLSSocket)) socket?.resetAndDestroy();
  response.destroy();
}
