/** A server that listens, and its orderly end. */

import type { Server } from 'node:http';
import { GatewayError } from '../../lib/errors.ts';
import { formatUrl } from '../../upstream/net/bind.ts';
import type { Pipelining } from '../http/pipelining.ts';
import type { Session } from '../websocket/session.ts';
import type { Connections } from './connections.ts';
import type { Listening, ListenOptions } from './listen.ts';
import { ERROR_WRITE_TIME, type LiveExchanges } from './live-exchanges.ts';
import { applyTimeouts, type CallerTimeouts } from './timeouts.ts';

export interface ServerOptions extends ListenOptions {
  readonly timeouts: CallerTimeouts;
}

/** What changes while a server runs. Those who answer its requests read it too. */
export interface ServerState {
  /**
   * `leaving`: reported as not ready, and every connection ends with its answer or soon after it. `draining`: no longer
   * accepting either.
   */
  phase: 'serving' | 'leaving' | 'draining';
  /** Milliseconds that data may wait for a WebSocket's client that does not read. */
  unread: number;
}

/** The parts that a running server consists of. */
export interface ServerParts extends Listening {
  readonly live: LiveExchanges;
  readonly connections: Connections;
  readonly pipelined: Pick<Pipelining, 'isIdle'>;
  /** The open WebSockets. */
  readonly sessions: ReadonlySet<Session>;
  readonly state: ServerState;
}

/** The interval at which a server that must end closes connections that have become idle, in milliseconds. */
const IDLE_CHECK = 200;

/**
 * How long a connection of a leaving server may be idle, in milliseconds: its caller may be sending another request just
 * now and would find it closed. Node adds a second of its own between two requests (`keepAliveTimeoutBuffer`).
 */
const IDLE_WHEN_DRAINING = 2_000;
const KEEP_ALIVE_WHEN_DRAINING = IDLE_WHEN_DRAINING - 1_000;

export class RunningServer {
  readonly url: string;
  readonly port: number;
  readonly live: LiveExchanges;
  readonly #server: Server;
  readonly #parts: ServerParts;
  /** How many answers were ended. */
  #ended = 0;
  #idleCheck: NodeJS.Timeout | undefined;

  constructor(parts: ServerParts, { host, tls }: Pick<ListenOptions, 'host' | 'tls'>) {
    this.port = parts.listener.port;
    this.url = formatUrl({ host, port: this.port, tls });
    this.live = parts.live;
    this.#server = parts.server;
    this.#parts = parts;
  }

  webSockets(): number {
    return this.#parts.sessions.size;
  }

  /** Applies other bounds on slow callers, and another certificate. */
  applyConfig({ timeouts, tls }: Pick<ServerOptions, 'timeouts' | 'tls'>): void {
    const { state } = this.#parts;
    state.unread = timeouts.unread;
    const isServing = state.phase === 'serving';
    applyTimeouts(
      this.#server,
      isServing ? timeouts : { ...timeouts, connectionIdle: KEEP_ALIVE_WHEN_DRAINING },
    );
    this.#parts.tls.use(tls);
  }

  /** Closes connections without a request in flight. */
  closeIdle(): void {
    this.#server.closeIdleConnections();
    for (const session of this.#parts.sessions) session.closeIfIdle();
  }

  /** Drops what WebSockets remember between requests. */
  releaseMemory(): void {
    for (const session of this.#parts.sessions) session.forgetDialogues();
  }

  /** Reports the server as not ready from now on. Every connection ends with its answer or soon after it. */
  stopKeepingAlive(): void {
    const { state, connections, pipelined } = this.#parts;
    if (state.phase !== 'serving') return;
    state.phase = 'leaving';
    for (const response of this.live.withoutHead()) response.setHeader('connection', 'close');
    this.#server.keepAliveTimeout = KEEP_ALIVE_WHEN_DRAINING;
    for (const socket of connections.open())
      if (pipelined.isIdle(socket)) socket.setTimeout(IDLE_WHEN_DRAINING);
  }

  /**
   * Leaves, stops accepting, lets live answers finish for `milliseconds`, then ends the rest. Callers that have connected
   * before are answered.
   * @returns how many answers were ended.
   */
  async drain(milliseconds: number): Promise<number> {
    const { state, sessions, listener, connections } = this.#parts;
    this.stopKeepingAlive();
    state.phase = 'draining';
    for (const session of sessions) session.drain();
    const limit = setTimeout(() => this.end(), milliseconds);
    await listener.close();
    await connections.allClosed();
    clearTimeout(limit);
    clearInterval(this.#idleCheck);
    // Not earlier: this stops Node from checking for heads and bodies that take too long.
    this.#server.close();
    return this.#ended;
  }

  /** Ends live answers at once, each with an error in its own format. */
  end(): void {
    const error = new GatewayError('overloaded', 'The gateway is shutting down.', { retryAfter: 1 });
    this.#ended = Math.max(this.#ended, this.live.endAll(error));
    this.#server.closeIdleConnections();
    this.#idleCheck ??= setInterval(() => this.#server.closeIdleConnections(), IDLE_CHECK);
    setTimeout(() => {
      this.#server.closeAllConnections();
      for (const session of this.#parts.sessions) session.terminate();
    }, ERROR_WRITE_TIME).unref();
  }
}
