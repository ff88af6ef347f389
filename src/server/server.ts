/** The process's listening side: listhen's server around the app, and its orderly end. */

import type { Server, ServerResponse } from 'node:http';
import { toNodeHandler } from 'h3';
import { listen } from 'listhen';
import { createApp } from '../app.ts';
import type { Gateway } from '../gateway.ts';

export interface ServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /**
   * Stops accepting, lets live answers finish for `milliseconds`, then cuts what is left.
   * @returns how many answers were cut.
   */
  drain(milliseconds: number): Promise<number>;
}

/** Hosts on which listhen shows the server to other machines; it must be told that this is meant. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;

/** How often a draining server looks for connections that have become idle, in milliseconds. */
const IDLE_CHECK = 200;

/**
 * Serves the gateway that `current` gives.
 * @throws Error where the port is taken: another one is never chosen silently.
 */
export async function serve(current: () => Gateway, { host, port }: ServerOptions): Promise<RunningServer> {
  let draining = false;
  const live = new Set<ServerResponse>();
  const respond = toNodeHandler(createApp({ current, ready: () => !draining }));

  const listener = await listen(
    (request, response) => {
      live.add(response);
      response.once('close', () => live.delete(response));
      // Of a connection that is kept, the next request would find nobody.
      if (draining) response.setHeader('connection', 'close');
      return respond(request, response);
    },
    {
      hostname: host,
      port: { port, random: port === 0 },
      public: !LOOPBACK.test(host),
      // Its own ending is process.exit, in the middle of every live stream.
      autoClose: false,
      showURL: false,
      open: false,
      clipboard: false,
      isTest: false,
      isProd: true,
    },
  );
  const server = listener.server;
  limitPatience(server);
  // Node would tell the caller to go on before anyone has looked at the head: readBody does, after that.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  const { port: bound } = listener.address;

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    async drain(milliseconds) {
      draining = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK);
      let cut = 0;
      const limit = setTimeout(() => {
        cut = live.size;
        server.closeAllConnections();
      }, milliseconds);
      await closed;
      clearInterval(idle);
      clearTimeout(limit);
      return cut;
    },
  };
}

/** Bounds on slow callers. A balancer in front keeps its connections for 60 s as a rule: ours last longer. */
function limitPatience(server: Server): void {
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = 75_000;
}
