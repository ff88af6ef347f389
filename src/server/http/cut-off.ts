/** Ends an incomplete answer. */

import type { ServerResponse } from 'node:http';

/**
 * Closes an answer's connection so that no caller takes the part it has for the whole. In HTTP/1.0, which nginx speaks to
 * its upstreams by default, an orderly close also ends a complete answer, so there the connection is reset.
 */
export function cutOff(response: ServerResponse): void {
  if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy();
  response.destroy();
}
