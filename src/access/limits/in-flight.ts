/** How many exchanges of a key, or of a group of them, are in flight: in this process, and by leases in Redis in all that share one. */

import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { openCounters } from '../../lib/counters.ts';

/** Called when an exchange is over, once. */
export type Leave = () => void;

export interface InFlight {
  /**
   * Lets one more exchange of a key begin.
   * @returns what is called when it is over, once; undefined where `limit` are in flight already.
   */
  enter(key: string, limit: number): Leave | undefined | Promise<Leave | undefined>;
  close(): void;
}

/** What a process that was killed had in flight counts for so long, in milliseconds. */
const LEASE = 60_000;

/** By the clock of Redis, for those of several machines differ. */
const NOW = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) `;

const ENTER = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

const RENEW = `${NOW}
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

/** Those of this process alone. */
export function inFlightHere(): InFlight {
  const counts = openCounters();
  return {
    enter(key, limit) {
      if (counts.of(key) >= limit) return undefined;
      counts.add(key);
      return () => counts.remove(key);
    },
    close() {},
  };
}

/**
 * Those of all processes that share a Redis; while it is away, those of this process count.
 * @param name under which they are there.
 */
export function inFlightShared(name: string, redis: Redis): InFlight {
  /** The lease of each exchange, by key. */
  const here = new Map<string, Set<string>>();

  const placeOf = (key: string): string => `gateway:${name}:${key}`;
  const renewal = setInterval(renew, LEASE / 3).unref();
  // What was let in while it was away is in flight for the others too.
  redis.on('ready', renew);

  function renew(): void {
    for (const [key, leases] of here) {
      // Without Redis there is nothing to renew, and after it is back the next renewal enters all of them again.
      redis.eval(RENEW, 1, placeOf(key), LEASE, ...leases).catch(() => undefined);
    }
  }

  function leave(key: string, lease: string): void {
    const leases = here.get(key);
    if (!leases?.delete(lease)) return;
    if (leases.size === 0) here.delete(key);
    // A lease that cannot be given back ends by itself.
    redis.zrem(placeOf(key), lease).catch(() => undefined);
  }

  return {
    async enter(key, limit) {
      const leases = here.get(key) ?? new Set();
      if (leases.size >= limit) return undefined;
      const lease = randomUUID();
      here.set(key, leases.add(lease));
      // It timed out or Redis is away: then the count of this process has decided.
      const entered = await redis.eval(ENTER, 1, placeOf(key), limit, LEASE, lease).catch(() => 1);
      if (entered === 1) return () => leave(key, lease);
      leave(key, lease);
      return undefined;
    },
    close() {
      clearInterval(renewal);
      redis.off('ready', renew);
    },
  };
}
