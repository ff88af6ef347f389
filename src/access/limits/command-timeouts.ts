/**
 * Timeouts of a Redis, measured by when its answers are here. ioredis's own timers (`commandTimeout`,
 * `socketTimeout`) fire before its socket is read: after a moment in which this process was busy, what was answered in
 * time would count as late, and the connection as dead.
 */

import type { Redis } from 'ioredis';

export interface CommandTimeouts {
  /** Milliseconds that a command may take. */
  readonly command: number;
  /** Milliseconds without a byte after which a connection on which something was asked is given up. */
  readonly silence: number;
}

/** Rejects commands of `redis` that take too long, and leaves a connection on which nothing comes. */
export function applyCommandTimeouts(redis: Redis, { command: most, silence }: CommandTimeouts): void {
  const send = redis.sendCommand.bind(redis);
  let hear: (() => void) | undefined;

  redis.on('connect', () => {
    const { stream } = redis;
    const onHeard = (): void => {
      hear?.();
      hear = undefined;
    };
    stream.on('data', onHeard);
    stream.once('close', onHeard);
  });

  redis.sendCommand = (command, stream) => {
    const sent = send(command, stream);
    // It could not even be written.
    if (command.isSettled) return sent;
    const settle = unlessReadBy(most, () => {
      if (!command.isSettled) command.reject(new Error('Command timed out'));
    });
    command.promise.then(settle, settle);
    const connection = redis.stream;
    hear ??= unlessReadBy(silence, () => {
      hear = undefined;
      connection.destroy(new Error(`Nothing came for ${silence} ms`));
    });
    return sent;
  };
}

/**
 * Does what is to be done in so many milliseconds, when all that has arrived by then was read.
 * @returns what calls it off.
 */
function unlessReadBy(milliseconds: number, run: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  // Timers come before the sockets in a turn of the event loop, immediates after them ("The Node.js Event Loop").
  const timer = setTimeout(() => {
    immediate = setImmediate(run);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
