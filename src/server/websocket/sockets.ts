/**
 * The open WebSockets of `/v1/responses` (OpenAI, "WebSocket mode"). Every request over a WebSocket is an exchange of
 * its own with the same server.
 */

import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { isLimited } from '../../access/limits/limited.ts';
import { DEFAULT_VENDOR } from '../../catalog/default-vendor.ts';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { oneModel } from '../http/model-list.ts';
import type { LiveExchanges } from '../listen/live-exchanges.ts';
import { acceptHandshakes, type HandshakeOptions } from './accept-handshakes.ts';
import { findKnownPrincipal, findPrincipal } from './handshake.ts';
import { openMemories } from './memories.ts';
import { postInternally, sessionHeaders } from './post-internally.ts';
import { Session } from './session.ts';

/** The interval of the checks for messages that take too long, in milliseconds. */
const TICK = 1_000;

/** What the WebSockets need of the server around them. */
export interface SocketsOptions extends HandshakeOptions {
  /** Milliseconds that data may wait for a client that does not read. */
  readonly unreadTimeout: () => number;
  readonly live: Pick<LiveExchanges, 'trackConnection' | 'beginMessage'>;
  /** Whether the process is short of a resource, so that it should accept nothing more. */
  readonly isShort: () => boolean;
  readonly log: LogProblem;
}

/**
 * Makes a server accept WebSockets.
 * @returns the sessions of those that are open
 */
export function acceptSockets(server: Server, options: SocketsOptions): ReadonlySet<Session> {
  const { current, unreadTimeout, counter, live, isShort, log } = options;
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

  acceptHandshakes(server, options, accept);

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
    acceptor.options.maxPayload = current().options.bodyBytes;
    acceptor.handleUpgrade(request, raw, head, (socket) => {
      const headers = sessionHeaders(request.headers);
      const { bodyBytes: bodyLimit } = current().options;
      const { arrival, leave } = live.trackConnection(key, {
        held: () => session.pending(),
        end: (error) => session.refuse(error),
      });
      const uncount = counter.add(key);
      const session = new Session(socket, raw, {
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
        knownTools: () => current().tools,
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

  return sessions;
}
