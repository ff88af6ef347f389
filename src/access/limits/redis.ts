/** The connection to Redis or Valkey. What Redis cannot do at once is done without it. */

import type { Command, Redis } from 'ioredis';
import { wordSet } from '../../lib/words.ts';
import { applyCommandTimeouts, type CommandTimeouts } from './command-timeouts.ts';
import { keepInUse } from './keep-in-use.ts';

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
 * @param onRefused and `onCarriedOut` as for `followCommands`.
 * @param onSeek as for `redisOptions`.
 */
export async function makeConnection(
  url: string,
  onRefused: ReportRefusal,
  onSeek: () => void = () => {},
  onCarriedOut: (command: string) => void = () => {},
): Promise<Redis> {
  // Loaded only if it is configured.
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, redisOptions(onSeek));
  followCommands(redis, onRefused, onCarriedOut);
  // A connection that hangs is given up: every request would wait for its command to time out, and commands would pile up.
  applyCommandTimeouts(redis, REDIS_TIMEOUTS);
  keepInUse(redis);
  return redis;
}

/** The most listeners of one event: keys, groups, tags and models have two each. */
const LISTENERS = 20;

/** How long a refusal counts, in milliseconds. */
const REFUSING = 60_000;

/** Commands of the connection itself. Its events report what becomes of them. */
const CONNECTION_COMMANDS = wordSet('auth client hello info ping select');

/** Called with the reason why Redis refuses a command, and the command's name. */
type ReportRefusal = (reason: string, command: string) => void;

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
  const refusals = openRefusals(onTrouble, onRecovered);
  const onFault: ReportFault = (reason) =>
    refusals.add(`Redis has something that limits cannot count by (${reason})`);
  const redis = await makeConnection(
    url,
    (reason, command) => refusals.add(`Redis refuses a command that limits need (${reason})`, command),
    () => {
      isSeeking = true;
    },
    refusals.addSuccess,
  );
  // Each kind of limit has counters that listen for it to be ready; Node would warn of a leak from the eleventh on.
  redis.setMaxListeners(LISTENERS);
  let away = false;
  let isTurnedAway = false;
  const leave = (reason: string, turnsAway = false): void => {
    // That Redis turns this process away is another reason than that a connection closed, and may be found later.
    if (away && (isTurnedAway || !turnsAway)) return;
    away = true;
    isTurnedAway = turnsAway;
    onTrouble(`Redis cannot be reached (${reason}), so each process counts limits on its own.`);
  };
  redis.on('error', (error: NodeJS.ErrnoException) =>
    leave(error.message || error.code || error.name, error.name === 'ReplyError'),
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
  });
  // The event of the connection reports that the first attempt failed. Further attempts follow.
  await redis.connect().catch(() => undefined);
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

/** Reports the first refusal, and that there are none any more. */
function openRefusals(onTrouble: (message: string) => void, onRecovered: (message: string) => void) {
  let last = Number.NEGATIVE_INFINITY;
  let isReported = false;
  const commands = new Set<string>();
  const isRecent = (): boolean => performance.now() - last < REFUSING;
  return {
    isRecent,
    /** From now on each process counts on its own, for a while. */
    add(trouble: string, command?: string): void {
      last = performance.now();
      if (command !== undefined) commands.add(command);
      if (!isReported) onTrouble(`${trouble}, so each process counts limits on its own.`);
      isReported = true;
    },
    /** A full Redis still answers reads, so only a command that it has refused shows that it is well. */
    addSuccess(command: string): void {
      const isWell = isReported && !isRecent() && (commands.size === 0 || commands.has(command));
      if (!isWell) return;
      isReported = false;
      commands.clear();
      onRecovered('Redis refuses nothing any more that limits need, so limits are shared again.');
    },
  };
}

/**
 * Calls `onRefused` with the reason for each of our commands that Redis refuses: a user without the right to run it, a
 * full memory, a cluster node that does not have all keys. The sender goes on without Redis, so nobody else would
 * report it. A refused INFO is no refusal. `onCarriedOut` is called with the name of each other command.
 */
function followCommands(
  redis: Redis,
  onRefused: ReportRefusal,
  onCarriedOut: (command: string) => void,
): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    if (command.name === 'info') allowNoInfo(command);
    const { name } = command;
    const isOurs = !CONNECTION_COMMANDS.has(name);
    command.promise.then(
      () => isOurs && onCarriedOut(name),
      (error: Error) => {
        // A script that Redis does not know yet is sent to it afterwards.
        const isRefusal = error.name === 'ReplyError' && !error.message.startsWith('NOSCRIPT');
        if (isRefusal && isOurs) onRefused(explain(error.message), name);
      },
    );
    return send(command, stream);
  };
}

/** What a node of a cluster says of a key that another node has, or nobody has ("Redis cluster specification"). */
const OF_CLUSTER = /^(?:MOVED|ASK|CLUSTERDOWN|CROSSSLOT|TRYAGAIN) /;

/** What Redis says, and what its address leads to if that is nothing that the gateway can use. */
function explain(message: string): string {
  if (OF_CLUSTER.test(message)) return `${message}; a cluster cannot be used`;
  if (!message.startsWith('ERR unknown command')) return message;
  // Redis goes on with what it was sent: a whole script.
  const [said = ''] = message.split(', with args');
  return `${said}; a Sentinel cannot be used, only Redis itself`;
}

/**
 * Takes a Redis as ready whose user has no right to INFO, which tells whether all is loaded. ioredis does so too, but
 * says it on the console with each connection.
 */
function allowNoInfo(info: Command): void {
  const { reject } = info;
  info.reject = (error) => {
    if (error.message.startsWith('NOPERM')) info.resolve('');
    else reject(error);
  };
}
