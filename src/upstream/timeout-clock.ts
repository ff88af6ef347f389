/**
 * How long vendors are waited for. One clock watches every exchange: an exchange costs a place in a bag and a stamp a
 * chunk, not timers of its own.
 */

import { slotSet } from '../lib/slot-set.ts';

export interface VendorTimeouts {
  /** Milliseconds until the first byte of an answer's body. 0, here and below: no limit. */
  readonly firstByte: number;
  /** Milliseconds of silence between two pieces of the body. */
  readonly idle: number;
  /** Milliseconds in which nothing but signs of life may come. */
  readonly quiet: number;
  /** Milliseconds from the first request to a vendor to the end of the answer. */
  readonly total: number;
}

/** Something that is waited for. */
export interface Watched {
  /** Called now and then, for as long as it is watched. */
  tick(now: number): void;
}

export interface TimeoutClock {
  /** What is past one of these has waited at least so long as was set: the clock's own coarseness is in them. */
  readonly limits: VendorTimeouts;
  /** Milliseconds that this process has been running, as of the last tick. Only differences mean something. */
  readonly now: number;
  /** @returns what ends the watch. */
  watch(watched: Watched): () => void;
  /** Stops the clock. */
  close(): void;
}

/** Bounds on how often the clock looks, in milliseconds. */
const SHORTEST_TICK = 5;
const LONGEST_TICK = 500;

/** A clock that runs while something is watched. */
export function openTimeoutClock(limits: VendorTimeouts): TimeoutClock {
  const set = [limits.firstByte, limits.idle, limits.quiet, limits.total].filter((limit) => limit > 0);
  const step = Math.min(LONGEST_TICK, Math.max(SHORTEST_TICK, Math.min(...set) / 8));
  const reach = (limit: number): number => (limit > 0 ? limit + step : Number.POSITIVE_INFINITY);
  const watched = slotSet<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let last = performance.now();

  const advance = (): void => {
    const time = performance.now();
    // A process that was stopped, or busy, has not been waiting: nobody is to blame for what it has not read yet.
    clock.now += Math.min(time - last, 2 * step);
    last = time;
  };
  const look = (): void => {
    advance();
    for (const each of watched) each.tick(clock.now);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const clock = {
    limits: {
      firstByte: reach(limits.firstByte),
      idle: reach(limits.idle),
      quiet: reach(limits.quiet),
      total: reach(limits.total),
    },
    now: 0,
    watch(each: Watched) {
      if (timer === undefined) {
        last = performance.now();
        timer = setInterval(look, step).unref();
      }
      return watched.add(each);
    },
    close() {
      clearInterval(timer);
      timer = undefined;
    },
  };
  return clock;
}
