/**
 * Bounds what a translated answer makes the gateway hold: parsers and renderers keep its text until its end, since the
 * last events of most formats have all of it.
 */

import type { ReplyEvent } from '../conversation/reply.ts';
import { asGatewayError, GatewayError } from '../lib/errors.ts';
import type { Step } from '../streams/step.ts';
import type { Arrival } from './arrivals.ts';
import { tooLong } from './decode-body.ts';
import type { Incoming } from './exchange.ts';

/** Bytes of a translated stream. At 250 for each token this is a million of them. */
const MAX_STREAM = 256 * 1024 * 1024;

/** What an event takes beside its text, in bytes, and a token's probabilities. */
const EVENT = 64;
const TOKEN = 256;

/** It is told in steps of so many bytes; an answer that is smaller is not counted. */
const STEP = 64 * 1024;

/** Tells how much is held for an answer of `exchange`, until its connection has done with it. @throws GatewayError */
export function holding({ load, response }: Pick<Incoming, 'load' | 'response'>): (bytes: number) => void {
  let arrival: Arrival | undefined;
  let told = 0;
  return (bytes) => {
    if (load === undefined || bytes - told < STEP) return;
    told = bytes;
    arrival ??= load.arriving(response);
    try {
      arrival.holds(bytes);
    } catch (error) {
      throw asOurs(error);
    }
  };
}

/** Of the fault `rate-limited` is a vendor's limit: it would be asked again for that. */
function asOurs(error: unknown): GatewayError {
  const { fault, message } = asGatewayError(error);
  return new GatewayError(fault === 'rate-limited' ? 'overloaded' : fault, message, { retryAfter: 1 });
}

/** Passes a stream's bytes on. @throws GatewayError `upstream-broken` where they are too many. */
export function boundedStream(most = MAX_STREAM): Step<Uint8Array, Uint8Array> {
  let size = 0;
  return {
    transform(chunk, out) {
      size += chunk.byteLength;
      if (size > most) throw tooLong();
      out.enqueue(chunk);
    },
  };
}

/** Passes events on, and tells how much is held for them. @throws GatewayError what `holds` throws. */
export function countingHeld(holds: (bytes: number) => void): Step<ReplyEvent, ReplyEvent> {
  let held = 0;
  return {
    transform(event, out) {
      held += sizeOf(event);
      holds(held);
      out.enqueue(event);
    },
  };
}

/** Bytes that an event makes its renderer hold, about. */
function sizeOf(event: ReplyEvent): number {
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
