/**
 * The message that is arriving over a connection. It is bounded as a request's body is: it takes a place in flight, it
 * has a time limit, and its bytes are counted.
 */

import type { Socket } from 'node:net';
import { GatewayError } from '../../lib/errors.ts';
import { trackFrames } from './frames.ts';

/** The message that is arriving, if there is one. */
export interface ArrivingMessage {
  /** Bytes of the message that are held. */
  held(): number;
  /** Whether reading must stop because the message has no place yet. */
  needsSlot(): boolean;
  /** Adds to the time that the message has taken. */
  tick(milliseconds: number): void;
  /** Checks again whether the message needs a place. */
  recheck(): void;
  /** Gives back the place, since the connection is closed. */
  end(): void;
}

/** What the message needs of its session. */
export interface ArrivingMessageOptions {
  /** Reserves a place in flight. Rejects with a GatewayError if the key may have none. */
  reserveSlot(): Promise<(() => void) | undefined>;
  /** Whether the connection has requests in flight, whose place the message then shares. */
  hasRequests(): boolean;
  /** Whether the gateway is not reading, so that the client cannot go on. */
  isStopped(): boolean;
  /** Milliseconds that a message may take; 0 means no limit. */
  timeout(): number;
  /** Called after every change. */
  changed(): void;
  refuse(error: GatewayError): void;
}

/**
 * Follows the bytes that are read from `raw`. The listener of `ws`, which delivers complete messages, must have been
 * added before.
 * @returns what reports on the message that is arriving, and stops following it
 */
export function trackMessage(raw: Socket, options: ArrivingMessageOptions): ArrivingMessage {
  const frames = trackFrames();
  let slot: (() => void) | undefined;
  let isReserving = false;
  let isOver = false;
  let completed = 0;
  let spent = 0;

  const releaseSlot = (): void => {
    slot?.();
    slot = undefined;
  };
  const needsSlot = (): boolean => !isOver && slot === undefined && frames.isOpen() && !options.hasRequests();

  async function reserve(): Promise<void> {
    isReserving = true;
    const of = completed;
    try {
      const given = await options.reserveSlot();
      // By now the message may be complete, or another one may be arriving.
      if (needsSlot() && of === completed) slot = given;
      else given?.();
    } catch (error) {
      options.refuse(asRefusal(error));
    }
    isReserving = false;
    options.changed();
  }

  function recheck(): void {
    if (needsSlot() && !isReserving) void reserve();
    options.changed();
  }

  raw.on('data', (chunk: Buffer) => {
    frames.take(chunk);
    if (completed !== frames.completed() || !frames.isOpen()) {
      completed = frames.completed();
      spent = 0;
      releaseSlot();
    }
    recheck();
  });

  return {
    held: frames.held,
    needsSlot,
    recheck,
    tick(milliseconds) {
      if (isOver || !frames.isOpen()) return;
      if (!options.isStopped()) spent += milliseconds;
      const timeout = options.timeout();
      if (timeout > 0 && spent > timeout) options.refuse(needsSlot() ? noSlot() : tooSlow());
      else if (needsSlot()) recheck();
    },
    end() {
      isOver = true;
      releaseSlot();
    },
  };
}

function asRefusal(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError('internal', 'The gateway failed to read this message.', { cause: error });
}

function tooSlow(): GatewayError {
  return new GatewayError('request-timeout', 'The message was not complete in time.');
}

function noSlot(): GatewayError {
  return new GatewayError(
    'rate-limited',
    'The message could not be read in time: as many requests are in flight as this API key may have.',
    { retryAfter: 1 },
  );
}
