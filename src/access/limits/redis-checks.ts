/** What a connection to Redis shows before a request needs it. */

import type { Redis } from 'ioredis';
import { wordSet } from '../../lib/words.ts';

/**
 * Keys in each quarter of the 16,384 slots of a cluster ("Redis cluster specification"; the slots are 1,954, 6,019, 10,084
 * and 14,149). A node that shares the slots with another one does not have all of them.
 */
const PROBES = ['b', 'c', 'd', 'e'].map((end) => `gateway:probe:${end}`);

/** What limits do too: a script that writes. */
const PROBE = "return redis.call('SET', KEYS[1], 1, 'EX', 1)";

/** Whether Redis takes writes at the moment. Why it refuses one, `followCommands` reports. */
export async function takesWrites(redis: Redis): Promise<boolean> {
  const probes = await Promise.allSettled(PROBES.map((key) => redis.eval(PROBE, 1, key)));
  return probes.every(({ status }) => status === 'fulfilled');
}

/** Whether Redis still reads its data from its disk, so that it answers no command, by what INFO has said. */
export function isLoading(info: string): boolean {
  return findField(info, 'loading') === '1';
}

/**
 * Policies for a full memory under which the counters of callers who are asking stay ("Key eviction" in the documentation of
 * Redis). Under LRU the answers of the cache go first, which nobody has asked for lately; under `noeviction` a cache that
 * fills Redis keeps limits from being written.
 */
const KEEPS_COUNTERS = wordSet('noeviction allkeys-lru volatile-lru');

/**
 * A sentence about a Redis that drops counters when its memory is full: all of them expire, most of them soon, and each
 * minute has new ones. Undefined if it drops none.
 * @param info what INFO has said.
 */
export function describeEviction(info: string): string | undefined {
  const policy = findField(info, 'maxmemory_policy');
  const isBounded = Number(findField(info, 'maxmemory') ?? 0) > 0;
  if (!isBounded || policy === undefined || KEEPS_COUNTERS.has(policy)) return undefined;
  return `Redis drops counters of limits without a word when its memory is full (its maxmemory-policy is ${policy}), and callers can then exceed their limits. Set the policy to volatile-lru, or to noeviction if it has nothing but limits.`;
}

/** A field of INFO: each is a line of its own, its name before a colon. */
function findField(info: string, name: string): string | undefined {
  const line = info.split('\r\n').find((each) => each.startsWith(`${name}:`));
  return line?.slice(name.length + 1);
}
