/** The exchanges of one connection: each request is posted to the gateway itself, and its answer is sent as events. */

import type { ClientRequest, IncomingMessage } from 'node:http';
import { GatewayError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { cancelledUnbegun, type SentAnswer, sendAnswer } from './answer.ts';
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
  ): Promise<JsonObject | 'cancelled' | undefined>;
  /**
   * Ends the answer that is given in a lane. Nothing happens if there is none: an answer may end while its client
   * cancels it, and would be followed by an error that belongs to no request.
   * @param id the id of the only response to end, in whatever lane; undefined if the client names none
   */
  cancel(lane: string | undefined, id: string | undefined): void;
  /** Bytes of events that are not complete yet. */
  pending(): number;
  /** Ends all exchanges that are under way. */
  abort(): void;
}

/** An exchange that is under way. */
interface Exchange {
  readonly lane: string | undefined;
  readonly request: ClientRequest;
  /** The answer, once it has begun. */
  answer: SentAnswer | undefined;
  isCancelled: boolean;
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
  const active = new Set<Exchange>();
  let pending = 0;
  return {
    run(body, lane, previousId) {
      const exchange: Exchange = { lane, request: post(body), answer: undefined, isCancelled: false };
      const { request } = exchange;
      active.add(exchange);
      let counted = 0;
      const reportHeld = (bytes: number): void => {
        // Most events are small, and complete with the chunk that brings them.
        if (counted === 0 && bytes <= UNCOUNTED) return;
        pending += bytes - counted;
        counted = bytes;
        changed();
      };
      return new Promise((resolve) => {
        const end = (response: JsonObject | undefined): void =>
          resolve(exchange.isCancelled ? 'cancelled' : response);
        request.on('response', (coming: IncomingMessage) => {
          pace(coming);
          exchange.answer = sendAnswer(coming, { lane, previousId, send, reportHeld, cork });
          void exchange.answer.ended.then(end);
        });
        request.on('error', () => {
          if (exchange.answer !== undefined) return;
          sendError(exchange.isCancelled ? cancelledUnbegun() : unanswered(), lane);
          end(undefined);
        });
        request.on('close', () => active.delete(exchange));
      });
    },
    cancel(lane, id) {
      for (const exchange of active) {
        const isMeant = id === undefined ? exchange.lane === lane : exchange.answer !== undefined;
        if (!isMeant || exchange.answer?.cancel(id) === false) continue;
        exchange.isCancelled = true;
        exchange.request.destroy();
      }
    },
    pending: () => pending,
    abort() {
      for (const { request } of active) request.destroy();
    },
  };
}

function unanswered(): GatewayError {
  return new GatewayError('internal', 'The gateway failed to answer this request.');
}
