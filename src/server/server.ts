/** The process's listening side: a server around the app, and its orderly end. */

import type { Server } from 'node:http';
import { toNodeHandler } from 'h3/node';
import { GatewayError } from '../errors.ts';
import type { Gateway } from '../gateway.ts';
import { createApp } from '../http/app.ts';
import { type Tell, tellPlainly } from '../observe/teller.ts';
import { openSocketRoom } from '../socket/room.ts';
import { takeSockets } from '../socket/sockets.ts';
import type { Load } from '../stages/exchange.ts';
import { shortOf } from '../stages/shed.ts';
import { type Address, portOf, urlOf } from './bind.ts';
import { listen } from './listen.ts';
import { followExchanges, LAST_WORDS, type Live } from './live.ts';
import { applyTimeouts, type CallerTimeouts, checkOften, closeIfUnread } from './timeouts.ts';

export interface ServerOptions extends Address {
  readonly timeouts: CallerTimeouts;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly live: Live;
  /** How many WebSockets are open. */
  webSockets(): number;
  /** Other bounds on slow callers. */
  limit(timeouts: CallerTimeouts): void;
  /** Closes connections on which nothing is asked at the moment. */
  closeIdle(): void;
  /** Lets go of what is remembered between two requests of a WebSocket. */
  forget(): void;
  /** From now on the server calls itself not ready, and every connection ends with its answer. */
  leave(): void;
  /**
   * Leaves, stops accepting, lets live answers finish for `milliseconds`, then ends what is left.
   * @returns how many answers were ended.
   */
  drain(milliseconds: number): Promise<number>;
  /** Waits no longer: live answers end with an error in their own format. */
  end(): void;
}

/** How often a draining server looks for connections that have become idle, in milliseconds. */
const IDLE_CHECK = 200;

/** How often an accept that fails is told of at most, in milliseconds. */
const TELL_AGAIN = 10_000;

/**
 * Serves the gateway that `current` gives.
 * @param shortage what the process is short of; new work is refused then.
 * @param tell told what goes wrong beside the requests.
 * @throws Error where the port is taken: another one is never chosen silently.
 */
export async function serve(
  current: () => Gateway,
  { host, port, timeouts }: ServerOptions,
  shortage: Load['shortage'] = () => undefined,
  tell: Tell = tellPlainly,
): Promise<RunningServer> {
  let leaving = false;
  let draining = false;
  const live = followExchanges(() => current().options);
  const socketRoom = openSocketRoom(() => current().options);
  const load = { inFlight: live.inFlight, claim: live.claim, arriving: live.arriving, shortage };
  const app = createApp({
    current,
    gatewayOf: (response) => live.gatewayOf(response) ?? current(),
    condition: () => (leaving ? 'draining' : shortage() === undefined ? 'ok' : 'overloaded'),
    load,
    socketRoom,
    signalOf: live.signalOf,
  });
  const respond = toNodeHandler(app);

  const server = await listen(
    (request, response) => {
      closeIfUnread(response);
      // Of a connection that is kept, the next request would find nobody.
      if (leaving) response.setHeader('connection', 'close');
      live.follow(response, current(), () => respond(request, response));
    },
    { host, port },
  );
  applyTimeouts(server, timeouts);
  checkOften(server);
  outliveAcceptErrors(server, tell);
  // Node would tell the caller to go on before anyone has looked at the head: readBody does, after that.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  const bound = portOf(server);

  let { unread } = timeouts;
  const sockets = takeSockets(server, {
    current,
    isOpen: () => !draining && shortage() === undefined,
    unread: () => unread,
    room: socketRoom,
    live,
    isShort: () => shortOf(load) !== undefined,
    tell,
  });

  let ended = 0;
  const end = (): void => {
    ended = Math.max(
      ended,
      live.endAll(new GatewayError('overloaded', 'The gateway is shutting down.', { retryAfter: 1 })),
    );
    setTimeout(() => {
      server.closeAllConnections();
      sockets.cut();
    }, LAST_WORDS).unref();
  };
  return {
    url: urlOf({ host, port: bound }),
    port: bound,
    live,
    webSockets: sockets.count,
    limit(next) {
      unread = next.unread;
      applyTimeouts(server, next);
    },
    closeIdle() {
      server.closeIdleConnections();
      sockets.closeIdle();
    },
    forget: sockets.forget,
    leave: () => {
      leaving = true;
    },
    async drain(milliseconds) {
      leaving = true;
      draining = true;
      sockets.leave();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK);
      const limit = setTimeout(end, milliseconds);
      await closed;
      clearInterval(idle);
      clearTimeout(limit);
      return ended;
    },
    end,
  };
}

/** Without file descriptors a connection cannot be accepted. Others still can be served, and it passes. */
function outliveAcceptErrors(server: Server, tell: Tell): void {
  let told = Number.NEGATIVE_INFINITY;
  server.on('error', (error) => {
    if (performance.now() - told < TELL_AGAIN) return;
    told = performance.now();
    tell(`A connection could not be accepted: ${error.message}`);
  });
}
