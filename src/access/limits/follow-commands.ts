/** What becomes of the commands that Redis is sent. */

import type { Command, Redis } from 'ioredis';
import { wordSet } from '../../lib/words.ts';

/** Commands of the connection itself. Its events report what becomes of them. */
const CONNECTION_COMMANDS = wordSet('auth client hello info ping select');

export interface CommandEvents {
  /** Called with the reason why Redis refuses a command, and the command's name. */
  readonly onRefused: (reason: string, command: string) => void;
  /** Called with the name of each command that it has carried out. */
  readonly onCarriedOut?: (command: string) => void;
  /** Called with what Redis says of itself, with each connection before it is ready. */
  readonly onInfo?: (info: string) => void;
}

/**
 * Calls `onRefused` for each of our commands that Redis refuses: a user without the right to run it, a full memory, a
 * cluster node that does not have all keys. The sender goes on without Redis, so nobody else would report it. A refused
 * INFO is no refusal.
 */
export function followCommands(redis: Redis, { onRefused, onCarriedOut, onInfo }: CommandEvents): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    if (command.name === 'info') allowNoInfo(command);
    const { name } = command;
    const isOurs = !CONNECTION_COMMANDS.has(name);
    command.promise.then(
      (answer: unknown) => {
        if (isOurs) onCarriedOut?.(name);
        if (name === 'info' && typeof answer === 'string') onInfo?.(answer);
      },
      (error: Error) => {
        // A script that Redis does not know yet is sent to it afterwards.
        const isRefusal = error.name === 'ReplyError' && !error.message.startsWith('NOSCRIPT');
        if (isRefusal && isOurs) onRefused(explainReply(error.message), name);
      },
    );
    return send(command, stream);
  };
}

/** What a node of a cluster says of a key that another node has, or nobody has ("Redis cluster specification"). */
const OF_CLUSTER = /^(?:MOVED|ASK|CLUSTERDOWN|CROSSSLOT|TRYAGAIN) /;

/** An error of Redis, and what its address leads to if that is nothing that the gateway can use. */
export function explainReply(message: string): string {
  if (OF_CLUSTER.test(message)) return `${message}; a cluster cannot be used`;
  // Redis goes on with how a client would send it.
  if (message.startsWith('NOAUTH')) return 'NOAUTH: it requires a password, and its address has none';
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
