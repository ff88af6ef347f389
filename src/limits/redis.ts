/** The connection to Redis or Valkey: what it cannot do at once is done without it. */

import type { Redis } from 'ioredis';
import { keepPunctual } from './punctual.ts';

/** Milliseconds a command may take, one that answers nothing has, and a connection has at the start. */
const COMMAND = 100;
const SILENCE = 250;
const CONNECT = 1_000;

export interface RedisConnection {
  readonly redis: Redis;
  close(): void;
}

/**
 * Connects, and goes on trying where that fails: until it succeeds, every command is refused at once.
 * @param url redis://… or rediss://…
 * @param onTrouble told, in a sentence, when Redis is away, and when it is there again.
 */
export async function openRedis(url: string, onTrouble: (message: string) => void): Promise<RedisConnection> {
  // Loaded only where there is one.
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    connectTimeout: CONNECT,
    retryStrategy: (tries) => Math.min(tries * 100, 2_000),
    // It is the first no more: by its name another one may be.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  // One that hangs is left, or every request would wait for its command to time out.
  keepPunctual(redis, { command: COMMAND, silence: SILENCE });
  let away = false;
  const leave = (reason: string): void => {
    if (away) return;
    away = true;
    onTrouble(`Redis is away (${reason}), so limits are each process's own.`);
  };
  redis.on('error', (error: NodeJS.ErrnoException) => leave(error.message || error.code || error.name));
  redis.on('close', () => leave('its connection closed'));
  redis.on('ready', () => {
    if (away) onTrouble('Redis is there again.');
    away = false;
  });
  // That the first try fails is told by its event; others follow.
  await redis.connect().catch(() => undefined);
  return {
    redis,
    close() {
      away = true;
      redis.disconnect();
    },
  };
}
