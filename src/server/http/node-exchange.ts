/** The request and the response of an event of h3's: Node's own, which the gateway works on. */

import { IncomingMessage, ServerResponse } from 'node:http';
import type { H3Event } from 'h3';

/** @throws TypeError if a server other than Node's has received the request. */
export function getNodeExchange(event: H3Event) {
  const { req: message, res: response } = event.req.runtime?.node ?? {};
  if (!(message instanceof IncomingMessage) || !(response instanceof ServerResponse)) {
    throw new TypeError('The gateway speaks HTTP/1.1 on Node.');
  }
  return { message, response };
}
