/** What keys, or groups of them, have used in the present window of time, of requests or of tokens: here, or in a Redis several share. */

import type { Redis } from 'ioredis';
import type { Fault } from './redis.ts';
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

interface LocalWindow {
  add(key: string, count: number): Used;
  used(key: string): Used;
}

interface Open {
  count: number;
  /** By performance.now(), which no correction of the clock sets back. */
  ends: number;
}

/**
 * Windows of this process alone, of the keys that came lately. Nothing is waited for: to wait for promises took a short
 * answer 7 percent of its time (measured).
 * @param seconds how long one is.
 */
export function windowHere(seconds: number): LocalWindow {
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

/** Adds, and begins a window where there is none; one that somebody has left without an end gets it. */
const ADD = `
redis.call('SET', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
  left = ARGV[2] * 1000
end
return {count, left}`;

/**
 * Windows of all processes that share a Redis. What it does not take is counted here, from nothing: a key may have its
 * limit once more, in each process. Where it tells figures and takes none, the higher of both counts.
 * @param seconds how long one is, in whole seconds.
 * @param onFault told of what is there in the place of a figure, which then counts as nothing.
 */
export function windowShared(name: string, seconds: number, redis: Redis, onFault: Fault): UsageWindow {
  const here = windowHere(seconds);
  const placeOf = (key: string): string => `gateway:${name}:${key}`;

  /** What Redis tells; undefined where that is no figure. */
  function told(key: string, count: unknown, left: unknown): Used | undefined {
    const number = Number(count);
    if (Number.isSafeInteger(number) && number >= 0 && typeof left === 'number')
      return { count: number, left: left < 0 ? seconds * 1000 : left };
    onFault(`${placeOf(key)} is not a count`);
    return undefined;
  }

  return {
    async add(key, count) {
      try {
        const answer = await redis.eval(ADD, 1, placeOf(key), Math.ceil(count), seconds);
        const [all, left]: readonly unknown[] = Array.isArray(answer) ? answer : [];
        const found = told(key, all, left);
        if (found !== undefined) return found;
      } catch {
        // It is away, takes too long or refuses: each of these is told where the connection is (`redis.ts`).
      }
      return here.add(key, count);
    },
    async used(key) {
      const own = here.used(key);
      try {
        // One after the other on one connection; each fails for itself, which a transaction would tell of by its result.
        const [count, left] = await Promise.all([redis.get(placeOf(key)), redis.pttl(placeOf(key))]);
        const found = count === null ? undefined : told(key, count, left);
        return found === undefined || found.count < own.count ? own : found;
      } catch {
        return own;
      }
    },
  };
}
