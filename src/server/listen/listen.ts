/** How the gateway's server comes to its port: by listhen. */

import type { RequestListener, Server } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { listen as listhen } from 'listhen';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { type Address, portOf } from '../../upstream/net/bind.ts';
import { isLoopback } from '../../upstream/net/loopback.ts';
import { type Entrance, stopListening } from './entrance.ts';

/** A server of HTTP, and where its connections come from. */
export interface Listening {
  readonly server: Server;
  readonly entrance: Entrance;
}

/** How often an accept that fails is told of at most, in milliseconds. */
const TELL_AGAIN = 10_000;

/**
 * Listens by listhen.
 * @param tell told that connections cannot be accepted.
 * @throws Error where the port is taken: another one is never chosen silently.
 */
export async function listen(
  respond: RequestListener,
  { host, port }: Address,
  tell: LogProblem,
): Promise<Listening> {
  const { server } = await listhen(respond, {
    hostname: host,
    port: { port, random: port === 0 },
    // Where it shows the server to other machines, listhen must be told that this is meant.
    public: !isLoopback(host),
    // Its own ending is process.exit, in the middle of every live stream.
    autoClose: false,
    showURL: false,
    open: false,
    clipboard: false,
    isTest: false,
    isProd: true,
  });
  outliveAcceptErrors(server, tell);
  return { server, entrance: { port: portOf(server), close: () => stopListening(server) } };
}

/** Without file descriptors a connection cannot be accepted. Others still can be served, and it passes. */
export function outliveAcceptErrors(server: NetServer, tell: LogProblem): void {
  let told = Number.NEGATIVE_INFINITY;
  server.on('error', (error) => {
    if (performance.now() - told < TELL_AGAIN) return;
    told = performance.now();
    tell(`A connection could not be accepted: ${error.message}`);
  });
}
