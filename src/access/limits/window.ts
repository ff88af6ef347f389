/**
 * What keys or groups have used in the present window of time, in requests or tokens: in this process, or in a Redis
 * that several share.
 */

import type { Redis } from 'ioredis';
import { openRecentlyUsed } from './recently-used.ts';
import type { ReportFault } from './redis.ts';

export interface Used {
  readonly count: number;
  /** Milliseconds until the window ends. */
  readonly left: number;
}

/** Fixed windows; each begins with the first use in it. */
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
 * Windows of this process alone, for recently active keys. No promise is involved: awaiting promises took 7 percent of
 * a short answer (measured).
 * @param seconds the length of a window.
 */
export function localWindow(seconds: number): LocalWindow {
  const length = seconds * 1000;
  const windows = openRecentlyUsed<Open>(length);
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

/** Adds to a window, and begins one if there is none. A window that was left without an end gets one. */
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
 * Windows of all processes that share a Redis. What Redis does not accept is counted here, starting from nothing: a key
 * may use its limit once more then, in each process. If Redis can be read but not written, the higher of both figures
 * counts.
 * @param seconds the length of a window, in whole seconds.
 * @param onFault called if Redis has something else in the place of a count; it counts as nothing.
 */
export function sharedWindow(name: string, seconds: number, redis: Redis, onFault: ReportFault): UsageWindow {
  const here = localWindow(seconds);
  const getPlace = (key: string): string => `gateway:${name}:${key}`;

  /** The answer of Redis, or undefined if it is not a count. */
  function told(key: string, count: unknown, left: unknown): Used | undefined {
    const number = Number(count);
    if (Number.isSafeInteger(number) && number >= 0 && typeof left === 'number')
      return { count: number, left: left < 0 ? seconds * 1000 : left };
    onFault(`${getPlace(key)} is not a count`);
    return undefined;
  }

  return {
    async add(key, count) {
      try {
        const answer = await redis.eval(ADD, 1, getPlace(key), Math.ceil(count), seconds);
        const [all, left]: readonly unknown[] = Array.isArray(answer) ? answer : [];
        const found = told(key, all, left);
        if (found !== undefined) return found;
      } catch {
        // Redis is away, too slow or refuses the command. The connection (`redis.ts`) reports each of these.
      }
      return here.add(key, count);
    },
    async used(key) {
      const own = here.used(key);
      try {
        // Two commands, one after the other on one connection. Each fails by itself, while a transaction would report a
        // failure among its results.
        const [count, left] = await Promise.all([redis.get(getPlace(key)), redis.pttl(getPlace(key))]);
        const found = count === null ? undefined : told(key, count, left);
        return found === undefined || found.count < own.count ? own : found;
      } catch {
        return own;
      }
    },
  };
}
