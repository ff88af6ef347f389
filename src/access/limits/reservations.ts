/**
 * Money that requests in flight hold of budgets until what they cost is known: in this process, or in a Redis that
 * several share.
 */

import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

/** Called once, when the cost is charged. */
export type Release = () => void;

/** What requests in flight hold, in US dollars. */
export interface Reservations {
  /**
   * Holds an amount for a request of a key, whatever its budget.
   * @returns what all earlier requests of the key hold together.
   */
  hold(key: string, amount: number): number | Promise<number>;
  /** Gives an amount back. */
  release(key: string, amount: number): void;
  /** What requests of this process hold. */
  held(key: string): number;
  close(): void;
}

interface Held {
  amount: number;
  /** The number of requests: the last one leaves nothing behind, not even a rounding error. */
  requests: number;
}

/** Those of this process alone: no promise is involved. */
interface LocalReservations extends Reservations {
  hold(key: string, amount: number): number;
  /** The keys of which anything is held. */
  keys(): Iterable<string>;
}

/** Counts the requests of this process alone. */
export function localReservations(): LocalReservations {
  const holds = new Map<string, Held>();
  const held = (key: string): number => holds.get(key)?.amount ?? 0;
  return {
    hold(key, amount) {
      const earlier = holds.get(key);
      if (earlier === undefined) {
        holds.set(key, { amount, requests: 1 });
        return 0;
      }
      const before = earlier.amount;
      earlier.amount += amount;
      earlier.requests += 1;
      return before;
    },
    release(key, amount) {
      const hold = holds.get(key);
      if (hold === undefined) return;
      hold.requests -= 1;
      hold.amount = Math.max(0, hold.amount - amount);
      if (hold.requests === 0) holds.delete(key);
    },
    held,
    keys: () => holds.keys(),
    close() {},
  };
}

/** How long the reservations of a killed process still count, in milliseconds. */
const LEASE = 60_000;

/** Redis learns about at most this many keys when it is back. What is held of any others expires by itself. */
const MAX_UNTOLD = 10_000;

/**
 * Says what this process holds of a key, and returns what the others hold. One field for each process: the amount, and
 * until when it counts by the clock of Redis. So a request costs as much as there are processes, not requests.
 */
const UPDATE = `
local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)
local all = redis.call('HGETALL', KEYS[1])
local others = 0
for i = 1, #all, 2 do
  if all[i] ~= ARGV[1] then
    local amount, ends = string.match(all[i + 1], '^(%S+) (%d+)$')
    if ends and tonumber(amount) and tonumber(ends) > now then others = others + tonumber(amount)
    else redis.call('HDEL', KEYS[1], all[i]) end
  end
end
if ARGV[2] == '0' then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. string.format('%.0f', now + ARGV[3]))
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return tostring(others)`;

/**
 * Counts the requests of all processes that share a Redis. While Redis is away, this process counts alone.
 * @param name the name of the amounts in Redis.
 */
export function sharedReservations(name: string, redis: Redis): Reservations {
  const here = localReservations();
  const self = randomUUID();
  const getPlace = (key: string): string => `gateway:${name}:${key}`;
  /** The keys of which Redis may believe that this process holds something else. */
  const untold = new Set<string>();
  const update = async (key: string): Promise<unknown> => {
    untold.delete(key);
    try {
      return await redis.eval(UPDATE, 1, getPlace(key), self, here.held(key), LEASE);
    } catch {
      if (untold.size < MAX_UNTOLD) untold.add(key);
      return 0;
    }
  };
  const renew = (): void => {
    for (const key of new Set([...here.keys(), ...untold])) void update(key);
  };
  const renewal = setInterval(renew, LEASE / 3).unref();
  // What was reserved while Redis was away is held from the others too, and what was released then is not.
  redis.on('ready', renew);

  return {
    async hold(key, amount) {
      const before = here.hold(key, amount);
      const others = Number(await update(key));
      return before + (others > 0 ? others : 0);
    },
    release(key, amount) {
      here.release(key, amount);
      // Sent after the charge on the same connection, so at no moment does the money count neither as held nor as spent.
      void update(key);
    },
    held: here.held,
    close() {
      clearInterval(renewal);
      redis.off('ready', renew);
    },
  };
}
