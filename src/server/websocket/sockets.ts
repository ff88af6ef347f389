/**
 * The WebSocket of `/v1/responses` (OpenAI, "WebSocket mode"): which handshakes are accepted, and which sessions are
 * open. Every request over a WebSocket is an exchange of its own with the same server.
 */

import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { isLimited } from '../../access/limits/limited.ts';
import type { Principal } from '../../access/principal.ts';
import { DEFAULT_VENDOR } from '../../catalog/default-vendor.ts';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import { oneModel } from '../http/model-list.ts';
import type { LiveExchanges } from '../listen/live-exchanges.ts';
import {
  checkHandshake,
  findKnownPrincipal,
  findPrincipal,
  type HandshakeResult,
  isHandshake,
} from './handshake.ts';
import { openMemories } from './memories.ts';
import { postInternally, sessionHeaders } from './post-internally.ts';
import { type Session, serveSession } from './session.ts';
import type { SocketCounter } from './socket-counter.ts';

/** The interval of the checks for messages that take too long, in milliseconds. */
const TICK = 1_000;

/** What the WebSockets need of the server around them. */
export interface SocketsOptions {
  readonly current: () => Gateway;
  /** Whether more work is accepted. */
  readonly isOpen: () => boolean;
  /** Milliseconds that data may wait for a client that does not read. */
  readonly unreadTimeout: () => number;
  readonly counter: SocketCounter;
  readonly live: Pick<LiveExchanges, 'trackConnection' | 'beginMessage'>;
  /** Whether the process is short of a resource, so that it should accept nothing more. */
  readonly isShort: () => boolean;
  /** Whether a connection has a request whose answer is not complete. */
  readonly isAnswering: (connection: Socket) => boolean;
  readonly log: LogProblem;
}

/** The open WebSockets. */
export interface Sockets {
  /** The number of open WebSockets. */
  count(): number;
  /** From now on closes each one as soon as nothing is being answered on it. */
  drain(): void;
  /** Closes those on which nothing is being answered. */
  closeIdle(): void;
  /** Forgets all dialogues. */
  forgetDialogues(): void;
  /** Closes all of them at once. */
  terminate(): void;
}

/**
 * Makes a server accept WebSockets. It answers any other request for an upgrade, and a handshake that it refuses, like
 * an ordinary request: Java's client, for one, asks with each POST for an upgrade to HTTP/2. A Node that cannot tell
 * them apart (before 22.21 and 24.9) accepts no WebSockets.
 * @returns the open WebSockets of the server, to count and to close
 */
export function acceptSockets(server: Server, options: SocketsOptions): Sockets {
  const { current, isOpen, unreadTimeout, counter, live, isShort, isAnswering, log } = options;
  const sessions = new Set<Session>();
  const memories = openMemories(() => {
    const { pendingBytes, pendingBytesPerKey } = current().options;
    return { total: pendingBytes, perKey: pendingBytesPerKey };
  });
  let ticked = performance.now();
  const ticking = setInterval(() => {
    const now = performance.now();
    for (const session of [...sessions]) session.tick(now - ticked);
    ticked = now;
  }, TICK).unref();
  server.once('close', () => clearInterval(ticking));
  const acceptor = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  /** The callers of the handshakes that were accepted. */
  const accepted = new WeakMap<IncomingMessage, Principal | Promise<HandshakeResult>>();

  const isAccepted = (request: IncomingMessage): boolean => {
    // A handshake behind a request that is being answered would take the connection from that answer.
    if (!isHandshake(request) || isAnswering(request.socket)) return false;
    const judged = checkHandshake(request, current(), isOpen(), counter);
    if (judged instanceof GatewayError) return false;
    accepted.set(request, judged);
    return true;
  };

  /** Continues with a handshake when its caller is known. A handshake that is refused now is an ordinary request. */
  const decide = async (
    request: IncomingMessage,
    raw: Socket,
    head: Buffer,
    judging: Promise<HandshakeResult>,
  ): Promise<void> => {
    const ignore = (): void => {};
    raw.on('error', ignore);
    const judged = await judging;
    raw.off('error', ignore);
    if (raw.destroyed) return;
    const isRefused =
      judged instanceof GatewayError || !isOpen() || counter.refusal(judged.name) !== undefined;
    if (isRefused) answerWithoutUpgrade(server, request, raw);
    else accept(request, raw, head, judged.name);
  };

  if ('shouldUpgradeCallback' in server) {
    // This is an option of createServer, which listhen does not pass on.
    Object.assign(server, { shouldUpgradeCallback: isAccepted });
    server.on('upgrade', (request, raw, head) => {
      const judged = accepted.get(request);
      if (!(raw instanceof Socket) || judged === undefined) {
        raw.destroy();
        return;
      }
      if (judged instanceof Promise) void decide(request, raw, head, judged);
      else accept(request, raw, head, judged.name);
    });
  }

  /** Reserves a place in flight for a message of `key`; undefined if there is none at the moment. */
  async function reserveSlot(key: string, request: IncomingMessage): Promise<(() => void) | undefined> {
    if (isShort()) return undefined;
    const { limits, options: limited } = current();
    const holder = await findPrincipal(request, current());
    const leave = live.beginMessage(key, limited);
    if (leave === undefined || limits === undefined || !isLimited(holder)) return leave;
    const leaveLimits = await limits.reserveSlot(holder);
    if (leaveLimits === undefined) {
      leave();
      return undefined;
    }
    return () => {
      leave();
      leaveLimits();
    };
  }

  function accept(request: IncomingMessage, raw: Socket, head: Buffer, key: string): void {
    acceptor.options.maxPayload = current().options.bodyLimit;
    acceptor.handleUpgrade(request, raw, head, (socket) => {
      const headers = sessionHeaders(request.headers);
      const { bodyLimit } = current().options;
      const { arrival, leave } = live.trackConnection(key, {
        held: () => session.pending(),
        end: (error) => session.refuse(error),
      });
      const uncount = counter.add(key);
      const session = serveSession(socket, raw, {
        post: (body) => postInternally(server, request.url ?? '/', headers, body),
        async requireModel(model) {
          const gateway = current();
          oneModel(gateway, await findPrincipal(request, gateway), model, false);
        },
        isReasoningModel: (model) =>
          current().catalog.resolve(model, DEFAULT_VENDOR.responses)?.thinking !== undefined,
        mayStore() {
          const holder = findKnownPrincipal(request, current());
          return holder?.stored !== 'none';
        },
        bodyLimit,
        unreadTimeout: unreadTimeout(),
        messageTimeout: () => current().options.requestBody,
        reserveSlot: () => reserveSlot(key, request),
        arrival,
        memory: memories.open(key, bodyLimit),
        reportError: (error) => log('A WebSocket failed unexpectedly.', error),
      });
      sessions.add(session);
      socket.on('close', () => {
        sessions.delete(session);
        uncount();
        leave();
      });
    });
  }

  return {
    count: () => sessions.size,
    drain: () => sessions.forEach((session) => void session.drain()),
    closeIdle: () => sessions.forEach((session) => void session.closeIfIdle()),
    forgetDialogues: () => sessions.forEach((session) => void session.forgetDialogues()),
    terminate: () => sessions.forEach((session) => void session.terminate()),
  };
}

/** Answers a handshake that was accepted as Node answers a request without an upgrade, and closes the connection. */
function answerWithoutUpgrade(server: Server, request: IncomingMessage, raw: Socket): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(raw);
  raw.on('error', () => raw.destroy());
  response.on('finish', () => raw.destroySoon());
  server.emit('request', request, response);
}
