/**
 * Bounds the memory that a translated answer takes. Parsers and renderers keep its text until the end, since the last
 * events of most formats repeat all of it.
 */

import type { ReplyEvent } from '../../conversation/reply.ts';
import { asGatewayError, GatewayError } from '../../lib/errors.ts';
import type { Sink, Step } from '../../streams/step.ts';
import type { Arrival } from '../body/arrivals.ts';
import type { Incoming } from '../exchange.ts';

/** The bytes that an event takes besides its text, and that a token's probabilities take. */
const EVENT = 64;
const TOKEN = 256;

/** The amount is reported in steps of so many bytes; a smaller answer is not counted. */
const STEP = 64 * 1024;

/** The account of one answer: how many bytes are held for it, until its connection has sent it. */
export class HeldAnswer implements Step<ReplyEvent, ReplyEvent> {
  readonly #load: Incoming['load'];
  readonly #response: Incoming['response'];
  #arrival: Arrival | undefined;
  #reported = 0;
  #held = 0;

  constructor({ load, response }: Pick<Incoming, 'load' | 'response'>) {
    this.#load = load;
    this.#response = response;
  }

  /** Reports how many bytes are held. @throws GatewayError if there is no room. */
  report(bytes: number): void {
    if (this.#load === undefined || bytes - this.#reported < STEP) return;
    this.#reported = bytes;
    this.#arrival ??= this.#load.arriving(this.#response);
    try {
      this.#arrival.holds(bytes);
    } catch (error) {
      throw asGatewayRefusal(error);
    }
  }

  /** Passes an event on, and reports the bytes that are held for those so far. @throws GatewayError as `report` does. */
  transform(event: ReplyEvent, out: Sink<ReplyEvent>): void {
    this.#held += estimateSize(event);
    this.report(this.#held);
    out.enqueue(event);
  }
}

/**
 * Changes `rate-limited`, which here would mean a limit of the vendor and would cause a retry, to a fault of the
 * gateway.
 */
function asGatewayRefusal(error: unknown): GatewayError {
  const { fault, message } = asGatewayError(error);
  return new GatewayError(fault === 'rate-limited' ? 'overloaded' : fault, message, { retryAfter: 1 });
}

/** About how many bytes an event makes its renderer hold. */
function estimateSize(event: ReplyEvent): number {
  switch (event.type) {
    case 'part-delta':
      return EVENT + event.text.length;
    case 'part-start':
    case 'part-detail':
      return EVENT + JSON.stringify(event).length;
    case 'logprobs':
      return TOKEN * event.tokens.reduce((sum, { top }) => sum + 1 + (top?.length ?? 0), 0);
    default:
      return EVENT;
  }
}
