/** The end of an answer that is not whole. */

import type { ServerResponse } from 'node:http';

/**
 * Closes an answer's connection so that nobody takes what has come of it for all there was. In HTTP/1.0, which nginx
 * speaks to what is behind it unless it is told otherwise, an orderly end of the connection is the end of a whole answer
 * too, so there it is reset.
 */
export function cutOff(response: ServerResponse): void {
  if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy();
  response.destroy();
}
