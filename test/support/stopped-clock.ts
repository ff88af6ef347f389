/** The monotonic clock of this process, moved by hand: tests that would sleep move it instead. */

import { afterEach, vi } from 'vitest';

export interface StoppedClock {
  /** From here to the end of the test, performance.now() returns the same value however long the machine takes. */
  stop(): void;
  /** Moves the stopped clock forward by milliseconds. */
  advance(milliseconds: number): void;
}

/**
 * Stops performance.now() when a test says so, and starts it again after each test. Timers keep running: code that
 * waits for a timer waits in real time. A gateway in its own process is not affected.
 */
export function useStoppedClock(): StoppedClock {
  let now: number | undefined;
  let start = (): void => undefined;
  afterEach(() => {
    now = undefined;
    start();
  });
  return {
    stop() {
      // A whole number, so that calculations with it are exact.
      const stopped = Math.ceil(performance.now());
      now = stopped;
      const spy = vi.spyOn(performance, 'now').mockImplementation(() => now ?? stopped);
      start = () => spy.mockRestore();
    },
    advance(milliseconds) {
      if (now === undefined) throw new Error('The clock is not stopped.');
      now += milliseconds;
    },
  };
}
