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

/**
 * After so many milliseconds in which no command was answered in time, a connection is given up. Its answers come, but
 * each request would wait for them in vain.
 */
const LATENESS = 1_000;

/** Rejects commands of `redis` that take too long, and destroys a connection that stays silent, or is always late. */
export function applyCommandTimeouts(
  redis: Redis,
  { command: commandTimeout, silence }: CommandTimeouts,
): void {
  const send = redis.sendCommand.bind(redis);
  let hear: (() => void) | undefined;
  /** When the first of the commands began that were all late. */
  let lateSince: number | undefined;

  redis.on('connect', () => {
    lateSince = undefined;
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
    const connection = redis.stream;
    const began = performance.now();
    let isLate = false;
    const cancel = unlessReadBy(commandTimeout, () => {
      if (command.isSettled) return;
      isLate = true;
      command.reject(new Error('Command timed out'));
      lateSince ??= began;
      if (performance.now() - lateSince > LATENESS)
        connection.destroy(new Error(`All answers take longer than ${commandTimeout} ms`));
    });
    const settle = (): void => {
      cancel();
      if (!isLate) lateSince = undefined;
    };
    command.promise.then(settle, settle);
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
