/**
 * An exchange with the server itself, on a connection in memory. So a request that comes over a WebSocket is answered,
 * limited, recorded and ended as any other request is (Node.js, "http.Server: 'connection'" and "http.request:
 * createConnection").
 */

import { type ClientRequest, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { wordSet } from '../../lib/words.ts';

/** Headers of a handshake that concern the handshake alone, or describe a body that it does not have. */
const HANDSHAKE_HEADERS = wordSet(`
  accept-encoding connection content-encoding content-length content-type expect keep-alive origin te
  trailer transfer-encoding upgrade x-request-id
`);

/**
 * On a WebSocket this header chooses the version of the protocol. It means nothing to the endpoint that answers a POST.
 */
const SOCKET_BETA = /^responses_websockets=/;

/** @returns the headers of a handshake that each of its requests gets too */
export function sessionHeaders(handshake: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(handshake)) {
    if (typeof value !== 'string' || HANDSHAKE_HEADERS.has(name) || name.startsWith('sec-websocket-'))
      continue;
    if (name === 'openai-beta' && SOCKET_BETA.test(value)) continue;
    kept[name] = value;
  }
  return kept;
}

/**
 * Posts `body` to the server. Destroying the request has the effect of a caller who leaves.
 * @param path path with query
 * @returns the request, already sent
 */
export function postInternally(
  server: Server,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): ClientRequest {
  const [near, far] = duplexPair();
  // Neither side of the pair is informed when the other one is destroyed.
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy());
  // A write to a destroyed side is reported by the request or the response already.
  near.on('error', () => {});
  far.on('error', () => {});
  server.emit('connection', far);
  const asked = request({
    createConnection: () => near,
    method: 'POST',
    path,
    headers: {
      ...headers,
      connection: 'close',
      'content-type': 'application/json',
      'content-length': body.byteLength,
    },
  });
  asked.end(body);
  return asked;
}
