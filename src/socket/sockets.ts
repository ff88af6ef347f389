/**
 * The WebSocket of `/v1/responses` (OpenAI, "WebSocket mode"): which handshakes are taken, and the sessions there are.
 * Every request over one is an exchange of its own with the same server.
 */

import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import type { GatewayError } from '../errors.ts';
import type { Gateway } from '../gateway.ts';
import { oneModel } from '../http/model-list.ts';
import type { Tell } from '../observe/teller.ts';
import { DEFAULT_VENDOR } from '../stages/reach.ts';
import { holderOf, isHandshake, refusalOf } from './handshake.ts';
import { askServer, headersOf } from './inner-exchange.ts';
import { type Session, serveSession } from './session.ts';

export interface SocketsOptions {
  readonly current: () => Gateway;
  /** Whether more work is taken. */
  readonly isOpen: () => boolean;
  /** Milliseconds that something may wait for a client who takes none of it. */
  readonly unread: () => number;
  readonly tell: Tell;
}

export interface Sockets {
  /** How many there are. */
  count(): number;
  /** From now on each is closed as soon as nothing is being answered. */
  leave(): void;
  /** Closes those on which nothing is being answered. */
  closeIdle(): void;
  /** Forgets all dialogues. */
  forget(): void;
  /** Closes all of them. */
  cut(): void;
}

/**
 * Has a server take WebSockets. What is no handshake for one, or may not have one, it answers as any other request:
 * Java's client, for one, asks with each POST for an upgrade to HTTP/2. A Node that cannot tell them apart (before
 * 22.21 and 24.9) takes none.
 */
export function takeSockets(server: Server, { current, isOpen, unread, tell }: SocketsOptions): Sockets {
  const sessions = new Set<Session>();
  const acceptor = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  /** Handshakes of whom it is not known yet whether they may have one. */
  const undecided = new WeakMap<IncomingMessage, Promise<GatewayError | undefined>>();

  const isTaken = (request: IncomingMessage): boolean => {
    if (!isHandshake(request)) return false;
    const refusal = refusalOf(request, current(), isOpen());
    if (!(refusal instanceof Promise)) return refusal === undefined;
    undecided.set(request, refusal);
    return true;
  };

  /** Goes on with a handshake when it is known whose it is. What is refused then is a request like any other. */
  const decide = async (
    request: IncomingMessage,
    raw: Socket,
    refusal: Promise<GatewayError | undefined>,
    accept: () => void,
  ): Promise<void> => {
    const ignore = (): void => {};
    raw.on('error', ignore);
    const isRefused = (await refusal) !== undefined || !isOpen();
    raw.off('error', ignore);
    if (raw.destroyed) return;
    if (isRefused) answerPlainly(server, request, raw);
    else accept();
  };

  if ('shouldUpgradeCallback' in server) {
    // An option of createServer, which listhen does not hand on.
    Object.assign(server, { shouldUpgradeCallback: isTaken });
    server.on('upgrade', (request, raw, head) => {
      if (!(raw instanceof Socket)) {
        raw.destroy();
        return;
      }
      const refusal = undecided.get(request);
      if (refusal === undefined) accept(request, raw, head);
      else void decide(request, raw, refusal, () => accept(request, raw, head));
    });
  }

  function accept(request: IncomingMessage, raw: Socket, head: Buffer): void {
    acceptor.options.maxPayload = current().options.bodyLimit;
    acceptor.handleUpgrade(request, raw, head, (socket) => {
      const headers = headersOf(request.headers);
      const session = serveSession(socket, raw, {
        ask: (body) => askServer(server, request.url ?? '/', headers, body),
        async requireModel(model) {
          const gateway = current();
          oneModel(gateway, await holderOf(request, gateway), model, false);
        },
        thinks: (model) => current().catalog.resolve(model, DEFAULT_VENDOR.responses)?.thinking !== undefined,
        bodyLimit: current().options.bodyLimit,
        unread: unread(),
        trouble: (error) => tell('A WebSocket failed unexpectedly.', error),
      });
      sessions.add(session);
      socket.on('close', () => sessions.delete(session));
    });
  }

  return {
    count: () => sessions.size,
    leave: () => sessions.forEach((session) => void session.leave()),
    closeIdle: () => sessions.forEach((session) => void session.closeIfIdle()),
    forget: () => sessions.forEach((session) => void session.forget()),
    cut: () => sessions.forEach((session) => void session.cut()),
  };
}

/** Answers a handshake that was taken as Node answers a request that asks for nothing else, and closes the connection. */
function answerPlainly(server: Server, request: IncomingMessage, raw: Socket): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(raw);
  raw.on('error', () => raw.destroy());
  response.on('finish', () => raw.destroySoon());
  server.emit('request', request, response);
}
