/**
 * Counts the exchanges in flight of a key or a group: in this process, or by leases in Redis in all processes that
 * share it.
 */

import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { openCounters } from '../../lib/counters.ts';

/** Called once, when an exchange is over. */
export type ReleaseSlot = () => void;

/** Counts of exchanges in flight. */
export interface InFlight {
  /**
   * Lets one more exchange of a key begin.
   * @returns a function to call once, when the exchange is over; undefined if `limit` exchanges are in flight already.
   */
  enter(key: string, limit: number): ReleaseSlot | undefined | Promise<ReleaseSlot | undefined>;
  close(): void;
}

/** How long the exchanges of a killed process still count, in milliseconds. */
const LEASE = 60_000;

/** At most this many leases wait to be removed when Redis is back. Any others expire by themselves. */
const MAX_ENDED = 10_000;

/** The clock of Redis decides, because the clocks of several machines differ. */
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

/** Counts the exchanges of this process alone. */
export function localInFlight(): InFlight {
  const counts = openCounters();
  return {
    enter(key, limit) {
      if (counts.get(key) >= limit) return undefined;
      counts.add(key);
      return () => counts.remove(key);
    },
    close() {},
  };
}

/**
 * Counts the exchanges of all processes that share a Redis. While Redis is away, this process counts alone.
 * @param name the name of the counts in Redis.
 */
export function sharedInFlight(name: string, redis: Redis): InFlight {
  /** The lease of each exchange, by key. */
  const here = new Map<string, Set<string>>();
  /** Leases that Redis still holds although their exchanges are over, by key; and their number. */
  const ended = new Map<string, string[]>();
  let endedCount = 0;

  const getPlace = (key: string): string => `gateway:${name}:${key}`;
  const renewal = setInterval(renew, LEASE / 3).unref();
  // Exchanges that began while Redis was away are in flight for the other processes too, and those that ended are not.
  redis.on('ready', renew);

  function renew(): void {
    for (const [key, leases] of here) {
      // Without Redis there is nothing to renew. After it is back, the next renewal enters all leases again.
      redis.eval(RENEW, 1, getPlace(key), LEASE, ...leases).catch(() => undefined);
    }
    const unremoved = [...ended];
    ended.clear();
    endedCount = 0;
    for (const [key, leases] of unremoved) remove(key, leases);
  }

  function remove(key: string, leases: readonly string[]): void {
    redis.zrem(getPlace(key), ...leases).catch(() => {
      if (endedCount + leases.length > MAX_ENDED) return;
      const waiting = ended.get(key);
      if (waiting === undefined) ended.set(key, [...leases]);
      else waiting.push(...leases);
      endedCount += leases.length;
    });
  }

  function leave(key: string, lease: string): void {
    const leases = here.get(key);
    if (!leases?.delete(lease)) return;
    if (leases.size === 0) here.delete(key);
    remove(key, [lease]);
  }

  return {
    async enter(key, limit) {
      const leases = here.get(key) ?? new Set();
      if (leases.size >= limit) return undefined;
      const lease = randomUUID();
      here.set(key, leases.add(lease));
      // If the command times out or Redis is away, the count of this process has decided.
      const entered = await redis.eval(ENTER, 1, getPlace(key), limit, LEASE, lease).catch(() => 1);
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
