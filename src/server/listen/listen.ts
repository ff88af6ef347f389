/** Opens the gateway's port, by listhen. */

import { createServer, type RequestListener, type Server } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { listen as listhen } from 'listhen';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { type Address, getPort, tryAddress } from '../../upstream/net/bind.ts';
import { isLoopback } from '../../upstream/net/loopback.ts';
import { type ServerCertificate, TlsTermination } from '../../upstream/net/terminate-tls.ts';
import { type PortListener, stopListening } from './stop-listening.ts';

/** Where to listen, and the certificate with which to speak TLS; without one it is plain HTTP. */
export interface ListenOptions extends Address {
  readonly tls?: ServerCertificate | undefined;
}

/** An HTTP server, and the source of its connections. */
export interface Listening {
  /** Does not listen itself. */
  readonly server: Server;
  readonly listener: PortListener;
  readonly tls: Pick<TlsTermination, 'use'>;
}

/** The shortest interval between two reports of a failed accept, in milliseconds. */
const REPORT_INTERVAL = 10_000;

/**
 * Listens by listhen.
 * @param log receives that connections cannot be accepted
 * @throws Error if the port is taken: another one is never chosen silently.
 */
export async function listen(
  respond: RequestListener,
  { host, port, tls: certificate }: ListenOptions,
  log: LogProblem,
): Promise<Listening> {
  const server = createCallerServer(respond);
  const tls = new TlsTermination(server, certificate);
  const { server: listener } = await listhen(respond, {
    hostname: host,
    port: { port, random: port === 0 },
    // listhen needs this flag to listen on an address that other machines reach.
    public: !isLoopback(host),
    // listhen would end by process.exit, in the middle of every live stream.
    autoClose: false,
    showURL: false,
    open: false,
    clipboard: false,
    isTest: false,
    isProd: true,
  }).catch(async (error: unknown) => {
    // listhen tells only that a port is not available; Node tells why.
    await tryAddress({ host, port });
    throw error;
  });
  // listhen's server would parse HTTP before TLS is off. Its listeners also end idle connections (http-shutdown), which
  // this program follows itself: they would cost each open stream 300 bytes.
  listener.removeAllListeners('connection').on('connection', (connection: Socket) => tls.take(connection));
  surviveAcceptErrors(listener, log);
  return {
    server,
    tls,
    listener: {
      port: getPort(listener),
      async close() {
        await stopListening(listener);
        await tls.settled();
      },
    },
  };
}

/** Makes the HTTP server of the callers, which listens nowhere yet. Its connections come from a listener or a channel. */
export function createCallerServer(respond: RequestListener): Server {
  // Node would answer a request without a host with an empty 400; `refuseUnserved` says what is wrong.
  return createServer({ requireHostHeader: false }, respond);
}

/** Keeps a server running when it cannot accept a connection for want of file descriptors, which passes. */
export function surviveAcceptErrors(server: NetServer, log: LogProblem): void {
  let lastReport = Number.NEGATIVE_INFINITY;
  server.on('error', (error) => {
    if (performance.now() - lastReport < REPORT_INTERVAL) return;
    lastReport = performance.now();
    log(`A connection could not be accepted: ${error.message}`);
  });
}
