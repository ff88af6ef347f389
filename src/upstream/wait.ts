/** One vendor that is waited for: what it has said so far, and whether it takes too long. */

import type { TimeoutClock } from './timeout-clock.ts';

export interface Wait {
  /** Bytes of the answer's body have come, whatever they say. */
  heard(): void;
  /** A word of the answer was among what has come. */
  told(): void;
  /** The vendor may go on: while it had to wait, its silence was not its own. */
  resumed(): void;
  end(): void;
}

export interface Waiting {
  /** Milliseconds until the answer must be over, where it is not the clock's own `total`. */
  readonly timeLeft: number | undefined;
  /** Whether the vendor is kept waiting itself. */
  isPaused(): boolean;
  tooLong(): void;
}

/** Begins to wait: the first byte is waited for otherwise than what comes after it. */
export function waitFor(clock: TimeoutClock, { timeLeft, isPaused, tooLong }: Waiting): Wait {
  const { limits } = clock;
  const deadline = clock.now + (timeLeft ?? limits.total);
  let silence = limits.firstByte;
  let seen = clock.now;
  /** When the first bytes came of which none has been a word. */
  let quiet = Number.POSITIVE_INFINITY;
  const end = clock.watch({
    tick(now) {
      if (isPaused() && now <= deadline) return;
      if (now > deadline || now - seen > silence || now - quiet > limits.quiet) tooLong();
    },
  });
  return {
    heard() {
      seen = clock.now;
      silence = limits.idle;
      if (quiet > seen) quiet = seen;
    },
    told() {
      quiet = Number.POSITIVE_INFINITY;
    },
    resumed() {
      seen = clock.now;
    },
    end,
  };
}
