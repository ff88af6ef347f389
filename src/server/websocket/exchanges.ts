/** The exchanges of one connection: each request is posted to the gateway itself, and its answer is sent as events. */

import type { ClientRequest, IncomingMessage } from 'node:http';
import { GatewayError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { sendAnswer } from './answer.ts';
import type { Connection } from './connection.ts';
import type { SessionGateway } from './session-gateway.ts';

/**
 * Up to this many bytes of a connection are not reported to the gateway's account of what is arriving. The number of
 * open WebSockets bounds how many connections hold them.
 */
export const UNCOUNTED = 64 * 1024;

/** The exchanges that are under way. */
export interface Exchanges {
  /**
   * Posts a body and sends the answer.
   * @param previousId the id of the response that the request continues
   * @returns the response that the answer ends with; undefined if no dialogue can continue it
   */
  run(
    body: Buffer,
    lane: string | undefined,
    previousId: string | undefined,
  ): Promise<JsonObject | undefined>;
  /** Bytes of events that are not complete yet. */
  pending(): number;
  /** Ends all exchanges that are under way. */
  abort(): void;
}

/** What exchanges need of their session. */
export interface ExchangeOptions {
  readonly post: SessionGateway['post'];
  readonly connection: Pick<Connection, 'send' | 'cork' | 'pace'>;
  sendError(error: GatewayError, lane: string | undefined): void;
  /** Called when `pending` has changed. */
  changed(): void;
}

/** @returns the exchanges of one connection, none yet under way */
export function openExchanges({ post, connection, sendError, changed }: ExchangeOptions): Exchanges {
  const { send, cork, pace } = connection;
  const active = new Set<ClientRequest>();
  let pending = 0;
  return {
    run(body, lane, previousId) {
      const request = post(body);
      active.add(request);
      let counted = 0;
      const reportHeld = (bytes: number): void => {
        // Most events are small, and complete with the chunk that brings them.
        if (counted === 0 && bytes <= UNCOUNTED) return;
        pending += bytes - counted;
        counted = bytes;
        changed();
      };
      return new Promise((resolve) => {
        let isAnswered = false;
        request.on('response', (coming: IncomingMessage) => {
          isAnswered = true;
          pace(coming);
          void sendAnswer(coming, { lane, previousId, send, reportHeld, cork }).then(resolve);
        });
        request.on('error', () => {
          if (isAnswered) return;
          sendError(new GatewayError('internal', 'The gateway failed to answer this request.'), lane);
          resolve(undefined);
        });
        request.on('close', () => active.delete(request));
      });
    },
    pending: () => pending,
    abort() {
      for (const request of active) request.destroy();
    },
  };
}
