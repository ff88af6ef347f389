/** The listening server around the app, and its orderly end. */

import { toNodeHandler } from 'h3/node';
import { type LogProblem, logToStderr } from '../../lib/diagnostics.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { CallerTimeouts } from '../../pipeline/caller-limits.ts';
import type { Load } from '../../pipeline/exchange.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import { shortageAt } from '../../pipeline/shed-load.ts';
import { formatUrl } from '../../upstream/net/bind.ts';
import { createApp } from '../http/app.ts';
import { cutOff } from '../http/cut-off.ts';
import { declineUpgrades } from '../http/declined-upgrade.ts';
import { getNodeExchange } from '../http/node-exchange.ts';
import { pipelining } from '../http/pipelining.ts';
import { respond, toResponse } from '../http/respond.ts';
import { openSocketCounter } from '../websocket/socket-counter.ts';
import { acceptSockets } from '../websocket/sockets.ts';
import { answerClientErrors } from './client-errors.ts';
import { trackConnections } from './connections.ts';
import { type ListenOptions, listen } from './listen.ts';
import { ERROR_WRITE_TIME, LiveExchanges } from './live-exchanges.ts';
import { toOriginForm } from './origin-form.ts';
import { applyTimeouts, closeIfUnread, setCheckInterval } from './timeouts.ts';
import { refuseExpectation, refuseUnserved } from './unreadable.ts';

export interface ServerOptions extends ListenOptions {
  readonly timeouts: CallerTimeouts;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly live: LiveExchanges;
  /** How many WebSockets are open. */
  webSockets(): number;
  /** Applies other bounds on slow callers, and another certificate. */
  applyConfig(options: Pick<ServerOptions, 'timeouts' | 'tls'>): void;
  /** Closes connections without a request in flight. */
  closeIdle(): void;
  /** Drops what WebSockets remember between requests. */
  releaseMemory(): void;
  /** Reports the server as not ready from now on. Every connection ends with its answer or soon after it. */
  stopKeepingAlive(): void;
  /**
   * Leaves, stops accepting, lets live answers finish for `milliseconds`, then ends the rest. Callers that have connected
   * before are answered.
   * @returns how many answers were ended.
   */
  drain(milliseconds: number): Promise<number>;
  /** Ends live answers at once, each with an error in its own format. */
  end(): void;
}

/** The interval at which a server that must end closes connections that have become idle, in milliseconds. */
const IDLE_CHECK = 200;

/**
 * How long a connection of a leaving server may be idle, in milliseconds: its caller may be sending another request just
 * now and would find it closed. Node adds a second of its own between two requests (`keepAliveTimeoutBuffer`).
 */
const IDLE_WHEN_DRAINING = 2_000;
const KEEP_ALIVE_WHEN_DRAINING = IDLE_WHEN_DRAINING - 1_000;

/**
 * Serves the gateway that `current` gives.
 * @param shortage whether the process is short of something, so that new work is refused
 * @param log receives problems outside requests
 * @param open brings a server its connections
 * @throws Error if the port is taken: another one is never chosen silently.
 */
export async function serve(
  current: () => Gateway,
  { host, port, tls: certificate, timeouts }: ServerOptions,
  shortage: Load['shortage'] = () => undefined,
  log: LogProblem = logToStderr,
  open: typeof listen = listen,
): Promise<RunningServer> {
  let leaving = false;
  let draining = false;
  const live = new LiveExchanges(cutOff, () => current().options);
  const socketCounter = openSocketCounter(() => current().options);
  const load = live.load(shortage);
  const app = createApp({
    getExchange: getNodeExchange,
    answer(response, answer, extra) {
      respond(response, answer, extra);
      // The promise never settles, since h3 would write its value after the answer.
      return new Promise<never>(() => undefined);
    },
    toResponse,
    current,
    getGateway: (response) => live.getGateway(response) ?? current(),
    condition: () => (leaving ? 'draining' : shortage() === undefined ? 'ok' : 'overloaded'),
    load,
    socketCounter,
    getSignal: (response) => live.getSignal(response),
  });
  const handle = toNodeHandler(app);

  const pipelined = pipelining(
    refuseUnserved((request, response) => {
      closeIfUnread(response);
      // The next request on a kept connection would go unanswered.
      if (leaving) response.setHeader('connection', 'close');
      live.track(response, current(), () => handle(request, response));
    }),
  );

  const declineUpgrade = declineUpgrades();
  const { server, listener, tls } = await open(
    (request, response) => {
      declineUpgrade(request, response);
      request.url = toOriginForm(request.url ?? '/');
      pipelined.handle(request, response);
    },
    { host, port, tls: certificate },
    log,
  );
  const connections = trackConnections(server);
  applyTimeouts(server, timeouts);
  setCheckInterval(server);
  answerClientErrors(server, pipelined, (response, error) => live.end(response, error));
  // Node would send 100 Continue before the head is checked; readBody sends it after that.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('checkExpectation', refuseExpectation);

  let { unread } = timeouts;
  const sockets = acceptSockets(server, {
    current,
    isOpen: () => !draining && shortage() === undefined,
    unreadTimeout: () => unread,
    counter: socketCounter,
    live,
    isShort: () => shortageAt(load) !== undefined,
    isAnswering: (connection) => pipelined.currentAnswer(connection) !== undefined,
    log,
  });

  let ended = 0;
  let idleCheck: NodeJS.Timeout | undefined;
  const closeIdle = (): void => server.closeIdleConnections();
  const end = (): void => {
    ended = Math.max(
      ended,
      live.endAll(new GatewayError('overloaded', 'The gateway is shutting down.', { retryAfter: 1 })),
    );
    closeIdle();
    idleCheck ??= setInterval(closeIdle, IDLE_CHECK);
    setTimeout(() => {
      server.closeAllConnections();
      sockets.terminate();
    }, ERROR_WRITE_TIME).unref();
  };
  const stopKeepingAlive = (): void => {
    if (leaving) return;
    leaving = true;
    for (const response of live.withoutHead()) response.setHeader('connection', 'close');
    server.keepAliveTimeout = KEEP_ALIVE_WHEN_DRAINING;
    for (const socket of connections.open())
      if (pipelined.isIdle(socket)) socket.setTimeout(IDLE_WHEN_DRAINING);
  };
  return {
    url: formatUrl({ host, port: listener.port, tls: certificate }),
    port: listener.port,
    live,
    webSockets: sockets.count,
    applyConfig({ timeouts: next, tls: renewed }) {
      unread = next.unread;
      applyTimeouts(server, leaving ? { ...next, connectionIdle: KEEP_ALIVE_WHEN_DRAINING } : next);
      tls.use(renewed);
    },
    closeIdle() {
      closeIdle();
      sockets.closeIdle();
    },
    releaseMemory: sockets.forgetDialogues,
    stopKeepingAlive,
    async drain(milliseconds) {
      stopKeepingAlive();
      draining = true;
      sockets.drain();
      const limit = setTimeout(end, milliseconds);
      await listener.close();
      await connections.allClosed();
      clearTimeout(limit);
      clearInterval(idleCheck);
      // Not earlier: this stops Node from checking for heads and bodies that take too long.
      server.close();
      return ended;
    },
    end,
  };
}
