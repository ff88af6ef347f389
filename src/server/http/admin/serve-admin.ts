/** The admin API's listener: always apart from the callers' one, and by default reachable from this machine alone. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { H3 } from 'h3';
import { toNodeHandler } from 'h3/node';
import { errorCode } from '../../../lib/error-code.ts';
import { discard } from '../../../pipeline/body/read-body.ts';
import { type Address, bind, formatUrl } from '../../../upstream/net/bind.ts';
import type { ServerCertificate } from '../../../upstream/net/terminate-tls.ts';
import { toOriginForm } from '../../listen/origin-form.ts';
import {
  refuseConnection,
  refuseExpectation,
  refuseTunnels,
  refuseUnserved,
  unreadable,
} from '../../listen/unreadable.ts';
import { declineUpgrades } from '../declined-upgrade.ts';

export interface RunningAdmin {
  readonly url: string;
  /** Shows another certificate from now on. A listener without one stays without. */
  renew(certificate: ServerCertificate): void;
  close(): Promise<void>;
}

/** How long live answers may still take at the end, in milliseconds. */
const DRAIN_TIME = 1_000;

/** Serves `app`, by https if there is a certificate. @throws Error if the port is taken. */
export async function serveAdmin(
  app: H3,
  address: Address,
  certificate?: ServerCertificate,
): Promise<RunningAdmin> {
  const answer = toNodeHandler(app);
  const declineUpgrade = declineUpgrades();
  const answering = new WeakMap<Duplex, ServerResponse>();
  const handle = refuseUnserved((request, response) => {
    answering.set(request.socket, response);
    lingerIfUnread(request, response);
    declineUpgrade(request, response);
    request.url = toOriginForm(request.url ?? '/');
    void answer(request, response);
  });
  const options = { requireHostHeader: false };
  const secure = certificate && createSecureServer({ ...options, ...certificate }, handle);
  const server = secure ?? createServer(options, handle);
  server.on('checkExpectation', refuseExpectation);
  const currentAnswer = (connection: Duplex): ServerResponse | undefined => {
    const current = answering.get(connection);
    return current?.writableFinished === false ? current : undefined;
  };
  server.on('clientError', (error, connection) => {
    const current = currentAnswer(connection);
    if (current?.headersSent) connection.destroy();
    else refuseConnection(connection, unreadable(errorCode(error)), current !== undefined);
  });
  refuseTunnels(server, (connection) => {
    if (currentAnswer(connection) === undefined) return false;
    connection.destroy();
    return true;
  });
  // `readBody` sends 100 Continue to a caller that waits for it.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  const port = await bind(server, address);
  return {
    url: formatUrl({ host: address.host, port, tls: certificate }),
    renew: ({ cert, key }) => secure?.setSecureContext({ cert, key }),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const limit = setTimeout(() => server.closeAllConnections(), DRAIN_TIME);
      await closed;
      clearTimeout(limit);
    },
  };
}

/**
 * Lets a caller read its last answer although it is still sending a body that nobody reads: Node would close the connection
 * in both directions, and the reset that meets the rest of the body can discard the answer (RFC 9112, 9.6).
 */
function lingerIfUnread(request: IncomingMessage, response: ServerResponse): void {
  // Before Node's own listener, which closes the connection.
  response.prependOnceListener('finish', () => {
    if (!response.shouldKeepAlive || response.getHeader('connection') === 'close') discard(request);
  });
}
