/** A request to a vendor, its answer, and how the exchange ends. */

import type { GatewayError } from '../lib/errors.ts';
import type { PushBody } from '../streams/push-body.ts';
import type { BodyStep } from '../streams/step.ts';
import type { AnswerHeaders } from './headers.ts';

export interface UpstreamRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly origin: string;
  /** The path with the query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  /** The bytes; or slices of them, whose length the headers then say (`content-length`); or null if there is no body. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | null;
  /** Milliseconds until the answer must be over; absent: the clock's own `total`. */
  readonly timeLeft?: number | undefined;
  /**
   * Called once, with the answer's head. It returns what watches the body as it comes. Absent: nothing does.
   */
  readonly observe?: (head: UpstreamHead) => AnswerObserver | undefined;
  /** Called when a connection takes the request. It is held as long as the exchange, so it must not hold the request. */
  readonly sent?: (() => void) | undefined;
  /** Called once, when the exchange is over. */
  readonly ended?: ((how: Ending) => void) | undefined;
}

/** How an exchange ended: complete, broken by the vendor, or left by the caller or the gateway. */
export type Ending = 'whole' | 'broken' | 'left';

export interface UpstreamHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
}

export interface UpstreamAnswer extends UpstreamHead {
  /** A body that is still arriving; or bytes, if a short one came together with its head. */
  readonly body: PushBody | Uint8Array;
  readonly exchange: Breakable;
}

/** Settles what an exchange is asked for. */
export interface Settle {
  resolve(answer: UpstreamAnswer): void;
  reject(error: GatewayError): void;
}

/** An exchange whose answer is read elsewhere. */
export interface Breakable {
  /** For a consumer that finds in the body that the vendor has failed: the exchange then ended `broken`. */
  markBroken(): void;
}

/**
 * Watches a body as it arrives, decompressed, with everything from one read at once. Its `flush` may throw the error
 * that says that the body is not complete.
 */
export interface AnswerObserver extends BodyStep {
  /** How many bytes may wait for the consumer. Absent: HIGH_WATER_MARK. */
  maxQueued?(): number;
  /** Whether the last event has come, although the vendor has not ended its stream. Absent if nothing tells. */
  isClosed?(): boolean;
  /**
   * Called once, at the end: whether the vendor itself reported that its answer failed, and not because of the request.
   */
  hasFailed?(): boolean;
}
