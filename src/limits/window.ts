/** What keys have used in the present window of time, of requests or of tokens: here, or in a Redis several share. */

import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

export interface Used {
  readonly count: number;
  /** Milliseconds until it begins anew. */
  readonly left: number;
}

export interface UsageWindow {
  /** Adds to what a key has used. */
  add(key: string, count: number): Promise<Used>;
  used(key: string): Promise<Used>;
}

/**
 * Fixed windows, each of which begins with the first use in it. While Redis is away they are counted here, from
 * nothing: a key may have its limit once more, in each process.
 * @param seconds how long one is; whole seconds with Redis.
 */
export function openWindow(name: string, seconds: number, redis: Redis | undefined): UsageWindow {
  // Limits are compared elsewhere: each key has its own, and it may change while a window is open.
  const shape = { keyPrefix: `gateway:${name}`, points: Number.MAX_SAFE_INTEGER, duration: seconds };
  const local = new RateLimiterMemory(shape);
  const limiter =
    redis === undefined
      ? local
      : new RateLimiterRedis({
          ...shape,
          storeClient: redis,
          rejectIfRedisNotReady: true,
          insuranceLimiter: local,
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
