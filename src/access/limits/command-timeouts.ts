/**
 * Timeouts for Redis that count when an answer arrives. The timers of ioredis (`commandTimeout`, `socketTimeout`) fire
 * before the socket is read: after a moment in which this process was busy, an answer that arrived in time would count
 * as late, and the connection as dead.
 */

import type { Redis } from 'ioredis';

export interface CommandTimeouts {
  /** Milliseconds that a command may take. */
  readonly command: number;
  /** Milliseconds without a byte after which a connection with an open command is given up. */
  readonly silence: number;
}

/** Rejects commands of `redis` that take too long, and destroys a connection that stays silent. */
export function applyCommandTimeouts(
  redis: Redis,
  { command: commandTimeout, silence }: CommandTimeouts,
): void {
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
    // The command could not even be written.
    if (command.isSettled) return sent;
    const settle = unlessReadBy(commandTimeout, () => {
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
 * Runs a function after so many milliseconds, once all that has arrived by then was read.
 * @returns a function that cancels it.
 */
function unlessReadBy(milliseconds: number, run: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  // Node runs timers before it reads sockets, and immediates after it ("The Node.js Event Loop").
  const timer = setTimeout(() => {
    immediate = setImmediate(run);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
