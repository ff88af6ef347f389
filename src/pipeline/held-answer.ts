/**
 * Bounds the memory that a translated answer takes. Parsers and renderers keep its text until the end, since the last
 * events of most formats repeat all of it.
 */

import type { ReplyEvent } from '../conversation/reply.ts';
import { asGatewayError, GatewayError } from '../lib/errors.ts';
import type { Step } from '../streams/step.ts';
import type { Arrival } from './arrivals.ts';
import type { Incoming } from './exchange.ts';

/** The bytes that an event takes besides its text, and that a token's probabilities take. */
const EVENT = 64;
const TOKEN = 256;

/** The amount is reported in steps of so many bytes; a smaller answer is not counted. */
const STEP = 64 * 1024;

/**
 * Makes a function that reports how many bytes are held for an answer, until its connection has sent it.
 * @throws GatewayError from that function, if there is no room.
 */
export function holding({ load, response }: Pick<Incoming, 'load' | 'response'>): (bytes: number) => void {
  let arrival: Arrival | undefined;
  let reported = 0;
  return (bytes) => {
    if (load === undefined || bytes - reported < STEP) return;
    reported = bytes;
    arrival ??= load.arriving(response);
    try {
      arrival.holds(bytes);
    } catch (error) {
      throw asOurs(error);
    }
  };
}

/**
 * Changes `rate-limited`, which here would mean a limit of the vendor and would cause a retry, to a fault of the
 * gateway.
 */
function asOurs(error: unknown): GatewayError {
  const { fault, message } = asGatewayError(error);
  return new GatewayError(fault === 'rate-limited' ? 'overloaded' : fault, message, { retryAfter: 1 });
}

/** Passes events on, and reports the bytes that are held for them. @throws GatewayError what `holds` throws. */
export function countingHeld(holds: (bytes: number) => void): Step<ReplyEvent, ReplyEvent> {
  let held = 0;
  return {
    transform(event, out) {
      held += estimateSize(event);
      holds(held);
      out.enqueue(event);
    },
  };
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
