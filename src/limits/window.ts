/** What keys, or groups of them, have used in the present window of time, of requests or of tokens: here, or in a Redis several share. */

import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { openUsedLately } from './used-lately.ts';

export interface Used {
  readonly count: number;
  /** Milliseconds until it begins anew. */
  readonly left: number;
}

/** Fixed windows, each of which begins with the first use in it. */
export interface UsageWindow {
  /** Adds to what a key has used. */
  add(key: string, count: number): Used | Promise<Used>;
  used(key: string): Used | Promise<Used>;
}

interface Open {
  count: number;
  /** By performance.now(), which no correction of the clock sets back. */
  ends: number;
}

/**
 * Windows of this process alone, of the keys that came lately. By hand, since rate-limiter-flexible tells of its
 * memory by promises only: to wait for them took a short answer 7 percent of its time (measured).
 * @param seconds how long one is.
 */
export function windowHere(seconds: number): UsageWindow {
  const length = seconds * 1000;
  const windows = openUsedLately<Open>(length);
  return {
    add(key, count) {
      const now = performance.now();
      let open = windows.get(key, now);
      if (open === undefined) {
        open = { count: 0, ends: 0 };
        windows.set(key, open, now);
      }
      if (open.ends <= now) {
        open.count = 0;
        open.ends = now + length;
      }
      open.count += count;
      return { count: open.count, left: open.ends - now };
    },
    used(key) {
      const now = performance.now();
      const open = windows.get(key, now);
      return open === undefined || open.ends <= now
        ? { count: 0, left: length }
        : { count: open.count, left: open.ends - now };
    },
  };
}

/**
 * Windows of all processes that share a Redis. While it is away they are counted here, from nothing: a key may have its
 * limit once more, in each process.
 * @param seconds how long one is, in whole seconds.
 */
export function windowShared(name: string, seconds: number, redis: Redis): UsageWindow {
  // Limits are compared elsewhere: each key has its own, and it may change while a window is open.
  const shape = { keyPrefix: `gateway:${name}`, points: Number.MAX_SAFE_INTEGER, duration: seconds };
  const limiter = new RateLimiterRedis({
    ...shape,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(shape),
  });
  const told = (found: RateLimiterRes | null): Used =>
    found === null || found.msBeforeNext <= 0
      ? { count: 0, left: seconds * 1000 }
      : { count: found.consumedPoints, left: found.msBeforeNext };
  return {
    add: (key, count) => limiter.penalty(key, count).then(told),
    used: (key) => limiter.get(key).then(told),
  };
}
