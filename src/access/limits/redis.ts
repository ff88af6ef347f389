/** The connection to Redis or Valkey. What Redis cannot do at once is done without it. */

import type { Redis } from 'ioredis';
import { applyCommandTimeouts, type CommandTimeouts } from './command-timeouts.ts';
import { type CommandEvents, explainReply, followCommands } from './follow-commands.ts';
import { keepInUse } from './keep-in-use.ts';
import { describeEviction, isLoading, takesWrites } from './redis-checks.ts';
import { openRefusals } from './redis-refusals.ts';

/**
 * A command that cannot be sent at once, or whose connection breaks, fails. The connection is opened again in the
 * background. ioredis would send unanswered commands again then, although Redis may have carried them out already: a
 * request or an amount of money would count twice.
 */
const REDIS_OPTIONS = {
  lazyConnect: true,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  connectTimeout: 1_000,
  retryStrategy: (tries: number) => Math.min(tries * 100, 2_000),
} as const;

/** The shortest time between two connections that are given up because they lead to a replica, in milliseconds. */
const SEEKING = 2_000;

/**
 * The options of a connection. One that leads to a replica is opened again now and then: the name of the server may lead
 * to the new primary by then.
 * @param onSeek called before that.
 */
function redisOptions(onSeek: () => void) {
  let sought = Number.NEGATIVE_INFINITY;
  return {
    ...REDIS_OPTIONS,
    reconnectOnError({ message }: Error) {
      const now = performance.now();
      if (!message.startsWith('READONLY') || now - sought < SEEKING) return false;
      sought = now;
      onSeek();
      return true;
    },
  };
}

/** Milliseconds that a command may take, and that a connection may stay silent. */
const REDIS_TIMEOUTS: CommandTimeouts = { command: 100, silence: 250 };

/**
 * Makes a connection, still to be opened. It refuses commands while it cannot send them, and is kept in use.
 * @param events what becomes of its commands.
 * @param onSeek as for `redisOptions`.
 */
export async function makeConnection(
  url: string,
  events: CommandEvents,
  onSeek: () => void = () => {},
): Promise<Redis> {
  // Loaded only if it is configured.
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, redisOptions(onSeek));
  followCommands(redis, events);
  // A connection that hangs is given up: every request would wait for its command to time out, and commands would pile up.
  applyCommandTimeouts(redis, REDIS_TIMEOUTS);
  keepInUse(redis);
  return redis;
}

/** The most listeners of one event: keys, groups, tags and models have two each. */
const LISTENERS = 20;

/** Called with what Redis has or does that makes counting impossible. */
export type ReportFault = (reason: string) => void;

export interface RedisConnection {
  readonly redis: Redis;
  /** For faults that no refused command shows. */
  readonly onFault: ReportFault;
  /** Whether processes count together in Redis: it is connected, and has recently refused nothing. */
  isShared(): boolean;
  /** Makes later connections with the user and the password of this address. */
  renewAddress(url: string): void;
  close(): void;
}

/**
 * Connects, and keeps trying if that fails. Until it succeeds, every command is refused at once.
 * @param url redis://… or rediss://…
 * @param onTrouble called with a sentence when Redis is away.
 * @param onRecovered called with a sentence when it is back.
 */
export async function openRedis(
  url: string,
  onTrouble: (message: string) => void,
  onRecovered: (message: string) => void,
): Promise<RedisConnection> {
  let isSeeking = false;
  /** What has been said of keys that Redis drops. */
  let eviction: string | undefined;
  const loading = Promise.withResolvers<void>();
  const refusals = openRefusals(onTrouble, onRecovered, () => takesWrites(redis));
  const onFault: ReportFault = (reason) =>
    refusals.add(`Redis has something that limits cannot count by (${reason})`);
  const redis = await makeConnection(
    url,
    {
      onRefused: (reason, command) =>
        refusals.add(`Redis refuses a command that limits need (${reason})`, command),
      onCarriedOut: refusals.addSuccess,
      onInfo(info) {
        if (isLoading(info)) {
          leave('it is still loading its data', true);
          loading.resolve();
        }
        const said = describeEviction(info);
        if (said !== undefined && said !== eviction) onTrouble(said);
        eviction = said;
      },
    },
    () => {
      isSeeking = true;
    },
  );
  // Each kind of limit has counters that listen for it to be ready; Node would warn of a leak from the eleventh on.
  redis.setMaxListeners(LISTENERS);
  let away = false;
  let isTurnedAway = false;
  let probed: Promise<unknown> = Promise.resolve();
  const leave = (reason: string, turnsAway = false): void => {
    // That Redis turns this process away is another reason than that a connection closed, and may be found later.
    if (away && (isTurnedAway || !turnsAway)) return;
    away = true;
    isTurnedAway = turnsAway;
    onTrouble(`Redis cannot be reached (${reason}), so each process counts limits on its own.`);
  };
  redis.on('error', (error: NodeJS.ErrnoException) =>
    leave(explainReply(error.message) || error.code || error.name, error.name === 'ReplyError'),
  );
  redis.on('close', () => {
    // That it is a replica has been reported as a refusal.
    if (!isSeeking) leave('its connection closed');
    isSeeking = false;
  });
  redis.on('ready', () => {
    if (away) onRecovered('Redis can be reached again, so limits are shared again.');
    away = false;
    isTurnedAway = false;
    probed = takesWrites(redis);
  });
  // The event of the connection reports that the first attempt failed. Further attempts follow. A Redis of many gigabytes
  // takes minutes to load them, and the start does not wait for that.
  await Promise.race([redis.connect().catch(() => undefined), loading.promise]);
  // What would refuse the first request is reported before that comes.
  await probed;
  return {
    redis,
    onFault,
    isShared: () => redis.status === 'ready' && !refusals.isRecent(),
    renewAddress(next) {
      const { username, password } = new URL(next);
      // ioredis sends both at the beginning of each connection.
      redis.options.username = decodeURIComponent(username);
      redis.options.password = decodeURIComponent(password);
    },
    close() {
      away = true;
      redis.disconnect();
    },
  };
}
