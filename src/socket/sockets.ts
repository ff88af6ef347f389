/**
 * The WebSocket of `/v1/responses` (OpenAI, "WebSocket mode"): which handshakes are taken, and the sessions there are.
 * Every request over one is an exchange of its own with the same server.
 */

import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { GatewayError } from '../errors.ts';
import type { Gateway } from '../gateway.ts';
import { faultOfHead, queryOf, rawPath } from '../head.ts';
import { oneModel } from '../model-list.ts';
import type { Tell } from '../observe/teller.ts';
import { admit } from '../stages/authenticate.ts';
import { askServer, headersOf } from './inner-exchange.ts';
import { type Session, serveSession } from './session.ts';

/** Where it is. */
export const SOCKET_PATH = '/v1/responses';

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

/** Whether a request asks for a WebSocket. */
export function wantsSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Has a server take WebSockets. What is no handshake for one, or may not have one, it answers as any other request:
 * Java's client, for one, asks with each POST for an upgrade to HTTP/2. A Node that cannot tell them apart (before
 * 22.21 and 24.9) takes none.
 */
export function takeSockets(server: Server, { current, isOpen, unread, tell }: SocketsOptions): Sockets {
  const sessions = new Set<Session>();
  const acceptor = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  const isTaken = (request: IncomingMessage): boolean => {
    if (!wantsSocket(request) || rawPath(request) !== SOCKET_PATH || !isOpen()) return false;
    if (faultOfHead(request) !== undefined) return false;
    try {
      admit(current().keys, 'responses', request, queryOf(request));
      return true;
    } catch (error) {
      if (error instanceof GatewayError) return false;
      throw error;
    }
  };

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
          ask: (body) => askServer(server, request.url ?? SOCKET_PATH, headers, body),
          requireModel(model) {
            const gateway = current();
            oneModel(gateway, admit(gateway.keys, 'responses', request, queryOf(request)), model, false);
          },
          thinks: (model) => current().catalog.resolve(model, 'openai')?.thinking !== undefined,
          bodyLimit: current().options.bodyLimit,
          unread: unread(),
          trouble: (error) => tell('A WebSocket failed for a reason nobody foresaw.', error),
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
