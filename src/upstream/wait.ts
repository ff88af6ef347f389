/** The wait for one answer: what the vendor has sent so far, and whether it takes too long. */

import { NO_SLOT } from '../lib/slot-set.ts';
import type { TimeoutClock, Watched } from './timeout-clock.ts';

/** The exchange that waits. */
export interface Waiting {
  /** Whether the gateway keeps the vendor waiting. */
  isPaused(): boolean;
  tooLong(): void;
  /** Called once after each content that nothing but keep-alives has followed for a moment. */
  fallsSilent(): void;
}

/** How long that moment is, in milliseconds: the end of a stream follows its last event at once. */
const MOMENT = 1_000;

/** The wait of one exchange. It begins when it is constructed. The first byte has a limit of its own. */
export class Wait implements Watched {
  slot = NO_SLOT;
  readonly #clock: TimeoutClock;
  readonly #waiting: Waiting;
  readonly #deadline: number;
  /** The longest silence, in milliseconds. */
  #maxSilence: number;
  #lastBytes: number;
  /** When the first bytes came since the last content. */
  #quietSince = Number.POSITIVE_INFINITY;
  /** When content came last. */
  #lastContent = Number.NEGATIVE_INFINITY;
  /** Whether that was a moment ago or less. */
  #isFlowing = false;

  /** @param timeLeft milliseconds until the answer must be over; undefined: the clock's own `total`. */
  constructor(clock: TimeoutClock, waiting: Waiting, timeLeft: number | undefined) {
    const { limits, now } = clock;
    this.#clock = clock;
    this.#waiting = waiting;
    this.#deadline = now + (timeLeft ?? limits.total);
    this.#maxSilence = limits.firstByte;
    this.#lastBytes = now;
    clock.watch(this);
  }

  tick(now: number): void {
    const isOver = now > this.#deadline;
    if (this.#waiting.isPaused() && !isOver) return;
    const isQuiet = now - this.#quietSince > this.#clock.limits.quiet;
    if (isOver || isQuiet || now - this.#lastBytes > this.#maxSilence) this.#waiting.tooLong();
    else if (this.#isFlowing && now - this.#lastContent > MOMENT) {
      this.#isFlowing = false;
      this.#waiting.fallsSilent();
    }
  }

  /** Bytes of the answer's body have come, whatever they are. */
  noteBytes(): void {
    const { now, limits } = this.#clock;
    this.#lastBytes = now;
    this.#maxSilence = limits.idle;
    if (this.#quietSince > now) this.#quietSince = now;
  }

  /** Content of the answer was among them. */
  noteContent(): void {
    this.#quietSince = Number.POSITIVE_INFINITY;
    this.#lastContent = this.#clock.now;
    this.#isFlowing = true;
  }

  /** Whether content has come since the clock's last tick. */
  hasNewContent(): boolean {
    return this.#lastContent === this.#clock.now;
  }

  /** The vendor may send again. While the gateway kept it waiting, it was not to blame for its silence. */
  noteResumed(): void {
    this.#lastBytes = this.#clock.now;
  }

  end(): void {
    this.#clock.forget(this);
  }
}
