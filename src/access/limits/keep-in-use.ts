/**
 * Keeps a connection to Redis in use. Redis closes those without commands (`timeout`; Azure's always after ten minutes),
 * which would be reported as a Redis that cannot be reached, and firewalls forget them (AWS after 350 s), so that the next
 * request would wait for a command that is never answered.
 */

import type { Redis } from 'ioredis';

/** Milliseconds between two commands that only keep the connection. */
const INTERVAL = 60_000;

/** Sends a command now and then, until `redis` is closed. */
export function keepInUse(redis: Redis): void {
  const timer = setInterval(() => {
    // If it fails, the events of the connection report that.
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, INTERVAL).unref();
  redis.on('end', () => clearInterval(timer));
}
