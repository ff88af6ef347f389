/** The monotonic clock of this process, moved by hand: tests that would sleep through a time move it instead. */

import { afterEach, vi } from 'vitest';

export interface StoppedClock {
  /** From here to the end of the test, performance.now() says the same however long the machine takes. */
  stop(): void;
  /** Moves the stopped clock on by milliseconds. */
  advance(milliseconds: number): void;
}

/**
 * Stops performance.now() where a test says so, and starts it again after each test. Timers run on: what waits by a
 * timer waits for real. A gateway in a process of its own is not affected.
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
      // A whole number, so that what is reckoned with it is exact.
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
