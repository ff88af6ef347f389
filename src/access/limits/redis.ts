/** The connection to Redis or Valkey: what it cannot do at once is done without it. */

import type { Redis } from 'ioredis';
import { applyCommandTimeouts } from './command-timeouts.ts';

/** Milliseconds a command may take, one that answers nothing has, and a connection has at the start. */
const COMMAND = 100;
const SILENCE = 250;
const CONNECT = 1_000;

/** For how long a refusal counts, and how often one is told of at most, in milliseconds. */
const REFUSING = 60_000;

/** Commands of the connection's own: what becomes of it is told by its events. */
const OWN: ReadonlySet<string> = new Set(['auth', 'client', 'hello', 'info', 'select']);

/** Told of what Redis has, or does, that limits cannot count by. */
export type Fault = (reason: string) => void;

export interface RedisConnection {
  readonly redis: Redis;
  /** For faults that no refused command tells of. */
  readonly onFault: Fault;
  /** Whether processes count together there: it is connected, and has lately refused nothing. */
  isShared(): boolean;
  close(): void;
}

/**
 * Connects, and goes on trying where that fails: until it succeeds, every command is refused at once.
 * @param url redis://… or rediss://…
 * @param onTrouble told, in a sentence, when Redis is away.
 * @param onRecovered likewise, when it is there again.
 */
export async function openRedis(
  url: string,
  onTrouble: (message: string) => void,
  onRecovered: (message: string) => void,
): Promise<RedisConnection> {
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
  let refused = Number.NEGATIVE_INFINITY;
  /** Each process counts on its own from now on, for a while. */
  function standIn(trouble: string): void {
    const now = performance.now();
    const isTold = now - refused < REFUSING;
    if (isTold) return;
    refused = now;
    onTrouble(`${trouble}, so each process counts limits on its own.`);
  }
  const onFault: Fault = (reason) => standIn(`Redis has something that limits cannot count by (${reason})`);
  followRefusals(redis, (reason) => standIn(`Redis refuses a command that limits need (${reason})`));
  // One that hangs is left, or every request would wait for its command to time out.
  applyCommandTimeouts(redis, { command: COMMAND, silence: SILENCE });
  let away = false;
  const leave = (reason: string): void => {
    if (away) return;
    away = true;
    onTrouble(`Redis cannot be reached (${reason}), so each process counts limits on its own.`);
  };
  redis.on('error', (error: NodeJS.ErrnoException) => leave(error.message || error.code || error.name));
  redis.on('close', () => leave('its connection closed'));
  redis.on('ready', () => {
    if (away) onRecovered('Redis can be reached again, so limits are shared again.');
    away = false;
  });
  // That the first try fails is told by its event; others follow.
  await redis.connect().catch(() => undefined);
  return {
    redis,
    onFault,
    isShared: () => redis.status === 'ready' && performance.now() - refused >= REFUSING,
    close() {
      away = true;
      redis.disconnect();
    },
  };
}

/**
 * Calls `onRefused` with the reason of each command of ours that Redis refuses: a user of it who may not, a full memory,
 * a node of a cluster that has not all keys. Whoever sent it goes on without, so nobody else would tell.
 */
function followRefusals(redis: Redis, onRefused: (reason: string) => void): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    command.promise.catch((error: Error) => {
      // A script that it does not know yet is sent to it then.
      const isRefusal = error.name === 'ReplyError' && !error.message.startsWith('NOSCRIPT');
      if (isRefusal && !OWN.has(command.name)) onRefused(error.message);
    });
    return send(command, stream);
  };
}
