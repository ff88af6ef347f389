/** Opens the gateway's port, by listhen. */

import { createServer, type RequestListener, type Server } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { listen as listhen } from 'listhen';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { type Address, getPort, tryAddress } from '../../upstream/net/bind.ts';
import { isLoopback } from '../../upstream/net/loopback.ts';
import { type Entrance, stopListening } from './entrance.ts';

/** An HTTP server, and the source of its connections. */
export interface Listening {
  readonly server: Server;
  readonly entrance: Entrance;
}

/** The shortest interval between two reports of a failed accept, in milliseconds. */
const TELL_AGAIN = 10_000;

/**
 * Listens by listhen.
 * @param tell receives that connections cannot be accepted
 * @throws Error if the port is taken: another one is never chosen silently.
 */
export async function listen(
  respond: RequestListener,
  { host, port }: Address,
  tell: LogProblem,
): Promise<Listening> {
  const { server } = await listhen(respond, {
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
  dropTracking(server, respond);
  outliveAcceptErrors(server, tell);
  return { server, entrance: { port: getPort(server), close: () => stopListening(server) } };
}

/**
 * Removes the listeners by which listhen ends idle connections (http-shutdown). This program follows its connections
 * itself. They would add a listener to each connection and to each response: 300 bytes of an open stream.
 */
function dropTracking(server: Server, respond: RequestListener): void {
  const plain = createServer(respond);
  for (const event of ['connection', 'request'] as const) {
    server.removeAllListeners(event);
    for (const listener of plain.listeners(event)) server.on(event, listener);
  }
}

/** Keeps a server running when it cannot accept a connection for want of file descriptors, which passes. */
export function outliveAcceptErrors(server: NetServer, tell: LogProblem): void {
  let told = Number.NEGATIVE_INFINITY;
  server.on('error', (error) => {
    if (performance.now() - told < TELL_AGAIN) return;
    told = performance.now();
    tell(`A connection could not be accepted: ${error.message}`);
  });
}
