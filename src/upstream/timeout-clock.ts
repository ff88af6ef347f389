/**
 * How long the gateway waits for vendors. One clock watches all exchanges: an exchange costs a slot and a time stamp
 * per chunk, rather than timers of its own.
 */

import { type SlotItem, SlotSet } from '../lib/slot-set.ts';

export interface VendorTimeouts {
  /** Milliseconds until the first byte of an answer's body. 0, here and below, means no limit. */
  readonly firstByte: number;
  /** Milliseconds of silence between two pieces of the body. */
  readonly idle: number;
  /** Milliseconds in which only keep-alives come. */
  readonly quiet: number;
  /** Milliseconds from the first request to a vendor to the end of the answer. */
  readonly total: number;
}

/** Something that the gateway waits for. */
export interface Watched extends SlotItem {
  /** Called at every tick of the clock while it is watched. */
  tick(now: number): void;
}

export interface TimeoutClock {
  /**
   * The configured limits plus one tick, so that what exceeds one of these has waited at least as long as configured.
   */
  readonly limits: VendorTimeouts;
  /** Milliseconds that this process has been running, as of the last tick. Only differences are meaningful. */
  readonly now: number;
  watch(watched: Watched): void;
  forget(watched: Watched): void;
  close(): void;
}

/** The bounds of a tick, in milliseconds. */
const MIN_TICK = 5;
const MAX_TICK = 500;

/** Makes a clock that ticks only while something is watched. @param limits the configured ones. */
export function openTimeoutClock(limits: VendorTimeouts): TimeoutClock {
  const set = [limits.firstByte, limits.idle, limits.quiet, limits.total].filter((limit) => limit > 0);
  const step = Math.min(MAX_TICK, Math.max(MIN_TICK, Math.min(...set) / 8));
  const reach = (limit: number): number => (limit > 0 ? limit + step : Number.POSITIVE_INFINITY);
  const watched = new SlotSet<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let last = performance.now();

  const advance = (): void => {
    const time = performance.now();
    // A process that was suspended or busy has not been waiting: no vendor is to blame for what has not been read yet.
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
      watched.add(each);
    },
    forget: (each: Watched) => watched.remove(each),
    close() {
      clearInterval(timer);
      timer = undefined;
    },
  };
  return clock;
}
