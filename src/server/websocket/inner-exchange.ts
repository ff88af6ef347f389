/**
 * An exchange with the server itself, on a connection in memory: what comes over a socket is answered, limited, noted
 * and ended as any other request is (Node.js, "http.Server: 'connection'" and "http.request: createConnection").
 */

import { type ClientRequest, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { duplexPair } from 'node:stream';

/** Headers of a handshake that are not the caller's words to whoever answers, or are about a body that it does not have. */
const OWN = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'origin',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
]);

/** The same header says to a WebSocket which version of it is meant: to what answers a POST it says nothing. */
const SOCKET_BETA = /^responses_websockets=/;

/** The headers that a handshake gives each of its requests. */
export function headersOf(handshake: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(handshake)) {
    if (typeof value !== 'string' || OWN.has(name) || name.startsWith('sec-websocket-')) continue;
    if (name === 'openai-beta' && SOCKET_BETA.test(value)) continue;
    kept[name] = value;
  }
  return kept;
}

/** Posts `body`. Destroyed, the exchange is one whose caller has left. */
export function askServer(
  server: Server,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): ClientRequest {
  const [near, far] = duplexPair();
  // Neither side hears by itself that the other one is destroyed.
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy());
  // Whoever writes to a side that is gone hears of it by its request or response.
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
