/** The wait for one answer: what the vendor has sent so far, and whether it takes too long. */

import type { TimeoutClock } from './timeout-clock.ts';

export interface Wait {
  /** Bytes of the answer's body have come, whatever they are. */
  heard(): void;
  /** Content of the answer was among them. */
  told(): void;
  /** Whether content has come since the clock's last tick. */
  hasTold(): boolean;
  /** The vendor may send again. While the gateway kept it waiting, it was not to blame for its silence. */
  resumed(): void;
  end(): void;
}

export interface Waiting {
  /** Milliseconds until the answer must be over; absent: the clock's own `total`. */
  readonly timeLeft: number | undefined;
  /** Whether the gateway keeps the vendor waiting. */
  isPaused(): boolean;
  tooLong(): void;
}

/**
 * Starts to wait for an answer. The first byte has a limit of its own.
 * @returns what the exchange reports its progress to.
 */
export function waitFor(clock: TimeoutClock, { timeLeft, isPaused, tooLong }: Waiting): Wait {
  const { limits } = clock;
  const deadline = clock.now + (timeLeft ?? limits.total);
  let silence = limits.firstByte;
  let seen = clock.now;
  /** When the first bytes came since the last content. */
  let quiet = Number.POSITIVE_INFINITY;
  /** When content came last. */
  let told = Number.NEGATIVE_INFINITY;
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
      told = clock.now;
    },
    hasTold: () => told === clock.now,
    resumed() {
      seen = clock.now;
    },
    end,
  };
}
