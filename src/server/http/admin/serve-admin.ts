/** The admin API's listener: always apart from the callers' one, and by default reachable from this machine alone. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { H3 } from 'h3';
import { toNodeHandler } from 'h3/node';
import type { Config } from '../../../config/schema.ts';
import { errorCode } from '../../../lib/error-code.ts';
import { discard } from '../../../pipeline/body/read-body.ts';
import { type Address, bind, formatUrl } from '../../../upstream/net/bind.ts';
import { probeCaller } from '../../../upstream/net/probe-caller.ts';
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
  /** Keeps idle connections as another configuration says, and shows its certificate. A listener without one stays without. */
  applyConfig(config: AdminConfig): void;
  close(): Promise<void>;
}

/** How long live answers may still take at the end, in milliseconds. */
const DRAIN_TIME = 1_000;

/** What the listener takes from a configuration. */
export interface AdminConfig {
  readonly admin: { readonly tls?: ServerCertificate | undefined };
  readonly timeouts: Pick<Config['timeouts'], 'connectionIdle'>;
}

/** Serves `app`, by https if the configuration has a certificate. @throws Error if the port is taken. */
export async function serveAdmin(app: H3, address: Address, config: AdminConfig): Promise<RunningAdmin> {
  const certificate = config.admin.tls;
  const answer = toNodeHandler(app);
  const declineUpgrade = declineUpgrades();
  const answering = new WeakMap<Duplex, ServerResponse>();
  const serve = refuseUnserved((request, response) => {
    answering.set(request.socket, response);
    lingerIfUnread(request, response);
    declineUpgrade(request, response);
    request.url = toOriginForm(request.url ?? '/');
    void answer(request, response);
  });
  const handle: RequestListener = (request, response) => {
    // Nothing is done after the last answer of a connection.
    if (request.socket.writable) serve(request, response);
  };
  const options = { requireHostHeader: false };
  const secure = certificate && createSecureServer({ ...options, ...certificate }, handle);
  const server = secure ?? createServer(options, handle);
  const applyConfig = ({ admin: { tls }, timeouts }: AdminConfig): void => {
    server.keepAliveTimeout = timeouts.connectionIdle;
    if (tls !== undefined) secure?.setSecureContext({ cert: tls.cert, key: tls.key });
  };
  applyConfig(config);
  server.on('connection', probeCaller);
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
    applyConfig,
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
