/**
 * The message that is arriving over a connection. It is bounded as a request's body is: it takes a place in flight, it
 * has a time limit, and its bytes are counted.
 */

import type { Socket } from 'node:net';
import { GatewayError } from '../../lib/errors.ts';
import { followFrames } from './frames.ts';

/** The message that is arriving, if there is one. */
export interface OnTheWay {
  /** Bytes of the message that are held. */
  held(): number;
  /** Whether reading must stop because the message has no place yet. */
  waits(): boolean;
  /** Adds to the time that the message has taken. */
  tick(milliseconds: number): void;
  /** Checks again whether the message needs a place. */
  look(): void;
  /** Gives back the place, since the connection is closed. */
  end(): void;
}

/** What the message needs of its session. */
export interface OnTheWayOptions {
  /** Reserves a place in flight. Rejects with a GatewayError if the key may have none. */
  place(): Promise<(() => void) | undefined>;
  /** Whether the connection has requests in flight, whose place the message then shares. */
  hasRequests(): boolean;
  /** Whether the gateway is not reading, so that the client cannot go on. */
  isStopped(): boolean;
  /** Milliseconds that a message may take; 0 means no limit. */
  time(): number;
  /** Called after every change. */
  changed(): void;
  refuse(error: GatewayError): void;
}

/**
 * Follows the bytes that are read from `raw`. The listener of `ws`, which delivers complete messages, must have been
 * added before.
 * @returns what reports on the message that is arriving, and stops following it
 */
export function followMessage(raw: Socket, options: OnTheWayOptions): OnTheWay {
  const frames = followFrames();
  let leave: (() => void) | undefined;
  let isAsking = false;
  let isOver = false;
  let whole = 0;
  let spent = 0;

  const giveBack = (): void => {
    leave?.();
    leave = undefined;
  };
  const needsPlace = (): boolean =>
    !isOver && leave === undefined && frames.isOpen() && !options.hasRequests();

  async function ask(): Promise<void> {
    isAsking = true;
    const of = whole;
    try {
      const given = await options.place();
      // By now the message may be complete, or another one may be arriving.
      if (needsPlace() && of === whole) leave = given;
      else given?.();
    } catch (error) {
      options.refuse(asRefusal(error));
    }
    isAsking = false;
    options.changed();
  }

  function look(): void {
    if (needsPlace() && !isAsking) void ask();
    options.changed();
  }

  raw.on('data', (chunk: Buffer) => {
    frames.take(chunk);
    if (whole !== frames.whole() || !frames.isOpen()) {
      whole = frames.whole();
      spent = 0;
      giveBack();
    }
    look();
  });

  return {
    held: frames.held,
    waits: needsPlace,
    look,
    tick(milliseconds) {
      if (isOver || !frames.isOpen()) return;
      if (!options.isStopped()) spent += milliseconds;
      const timeout = options.time();
      if (timeout > 0 && spent > timeout) options.refuse(needsPlace() ? noPlace() : tooSlow());
      else if (needsPlace()) look();
    },
    end() {
      isOver = true;
      giveBack();
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

function noPlace(): GatewayError {
  return new GatewayError(
    'rate-limited',
    'The message could not be read in time: as many requests are in flight as this API key may have.',
    { retryAfter: 1 },
  );
}
