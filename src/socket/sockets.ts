/**
 * The WebSocket of `/v1/responses` (OpenAI, "WebSocket mode"): which handshakes are taken, and the sessions there are.
 * Every request over one is an exchange of its own with the same server.
 */

import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
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

  const isTaken = (request: IncomingMessage): boolean =>
    isHandshake(request) && refusalOf(request, current().keys, isOpen()) === undefined;

  if ('shouldUpgradeCallback' in server) {
    // An option of createServer, which listhen does not hand on.
    Object.assign(server, { shouldUpgradeCallback: isTaken });
    server.on('upgrade', (request, raw, head) => {
      if (!(raw instanceof Socket)) {
        raw.destroy();
        return;
      }
      acceptor.options.maxPayload = current().options.bodyLimit;
      acceptor.handleUpgrade(request, raw, head, (socket) => {
        const headers = headersOf(request.headers);
        const session = serveSession(socket, raw, {
          ask: (body) => askServer(server, request.url ?? '/', headers, body),
          requireModel(model) {
            const gateway = current();
            oneModel(gateway, holderOf(request, gateway.keys), model, false);
          },
          thinks: (model) =>
            current().catalog.resolve(model, DEFAULT_VENDOR.responses)?.thinking !== undefined,
          bodyLimit: current().options.bodyLimit,
          unread: unread(),
          trouble: (error) => tell('A WebSocket failed unexpectedly.', error),
        });
        sessions.add(session);
        socket.on('close', () => sessions.delete(session));
      });
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
