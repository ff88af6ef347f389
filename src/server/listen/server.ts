/** The listening server around the app. */

import { Socket } from 'node:net';
import { toNodeHandler } from 'h3/node';
import { type LogProblem, logToStderr } from '../../lib/diagnostics.ts';
import type { Load } from '../../pipeline/exchange.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import { shortageAt } from '../../pipeline/shed-load.ts';
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
import { listen } from './listen.ts';
import { LiveExchanges } from './live-exchanges.ts';
import { toOriginForm } from './origin-form.ts';
import { RunningServer, type ServerOptions, type ServerState } from './running-server.ts';
import { applyTimeouts, closeIfUnread, setCheckInterval } from './timeouts.ts';
import { refuseExpectation, refuseTunnels, refuseUnserved } from './unreadable.ts';

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
  const state: ServerState = { phase: 'serving', unread: timeouts.unread };
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
    condition: () =>
      state.phase !== 'serving' ? 'draining' : shortage() === undefined ? 'ok' : 'overloaded',
    load,
    socketCounter,
    getSignal: (response) => live.getSignal(response),
    log,
  });
  const handle = toNodeHandler(app);

  const pipelined = pipelining(
    refuseUnserved((request, response) => {
      closeIfUnread(response);
      // The next request on a kept connection would go unanswered.
      if (state.phase !== 'serving') response.setHeader('connection', 'close');
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
  refuseTunnels(server, (connection) => {
    if (!(connection instanceof Socket) || pipelined.currentAnswer(connection) === undefined) return false;
    if (!pipelined.closeAfterAnswers(connection, true)) connection.destroy();
    return true;
  });

  const sessions = acceptSockets(server, {
    current,
    isOpen: () => state.phase !== 'draining' && shortage() === undefined,
    unreadTimeout: () => state.unread,
    counter: socketCounter,
    live,
    isShort: () => shortageAt(load) !== undefined,
    isAnswering: (connection) => pipelined.currentAnswer(connection) !== undefined,
    log,
  });

  return new RunningServer(
    { server, listener, tls, live, connections, pipelined, sessions, state },
    { host, tls: certificate },
  );
}
