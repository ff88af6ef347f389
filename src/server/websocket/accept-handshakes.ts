/** Takes the handshakes of WebSockets out of a server's requests. */

import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Principal } from '../../access/principal.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import { checkHandshake, type HandshakeResult, isHandshake } from './handshake.ts';
import type { SocketCounter } from './socket-counter.ts';

export interface HandshakeOptions {
  readonly current: () => Gateway;
  /** Whether more work is accepted. */
  readonly isOpen: () => boolean;
  readonly counter: SocketCounter;
  /** Whether a connection has a request whose answer is not complete. */
  readonly isAnswering: (connection: Socket) => boolean;
}

/**
 * Accepts handshakes. The server answers any other request for an upgrade, and a handshake that is refused, like an
 * ordinary request: Java's client, for one, asks with each POST for an upgrade to HTTP/2. A Node that cannot tell them
 * apart (before 22.21 and 24.9) accepts no WebSockets.
 * @param accept opens the WebSocket of a key.
 */
export function acceptHandshakes(
  server: Server,
  { current, isOpen, counter, isAnswering }: HandshakeOptions,
  accept: (request: IncomingMessage, raw: Socket, head: Buffer, key: string) => void,
): void {
  if (!('shouldUpgradeCallback' in server)) return;
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

/** Answers a handshake that was accepted as Node answers a request without an upgrade, and closes the connection. */
function answerWithoutUpgrade(server: Server, request: IncomingMessage, raw: Socket): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(raw);
  raw.on('error', () => raw.destroy());
  response.on('finish', () => raw.destroySoon());
  server.emit('request', request, response);
}
