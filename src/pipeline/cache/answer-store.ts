/** Where answers are kept: in the memory of this process, or in a Redis that several processes share. */

import { makeConnection } from '../../access/limits/redis.ts';
import type { ReplyEvent } from '../../conversation/reply.ts';
import { reportSparingly } from '../../lib/sparing-reports.ts';

/** A complete answer in neutral words. */
export interface KeptAnswer {
  /** When it was kept, in milliseconds since 1970. */
  readonly at: number;
  readonly events: readonly ReplyEvent[];
}

/** Keeps answers as JSON text. Neither method throws: what the store cannot do is done without it. */
export interface AnswerStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, text: string, seconds: number): void;
  close(): void;
}

/** Such a store in the memory of this process. */
export interface AnswersInMemory extends AnswerStore {
  /** Changes how many bytes all answers may take. */
  resize(bytes: number): void;
}

interface Entry {
  readonly text: string;
  /** By performance.now(). */
  readonly until: number;
}

/**
 * Keeps answers in memory; the ones that have not been used for longest go first.
 * @param bytes the most that all of them may take, as JSON text.
 */
export function answersInMemory(bytes: number): AnswersInMemory {
  let maxSize = bytes;
  const entries = new Map<string, Entry>();
  let held = 0;
  const drop = (key: string): void => {
    held -= entrySize(entries.get(key));
    entries.delete(key);
  };
  const shrink = (): void => {
    for (const oldest of entries.keys()) {
      if (held <= maxSize) break;
      drop(oldest);
    }
  };
  return {
    async get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.until > performance.now()) {
        // The last one in the map is the one used last.
        entries.set(key, entry);
        return entry.text;
      }
      held -= entrySize(entry);
      return undefined;
    },
    set(key, text, seconds) {
      drop(key);
      const entry = { text, until: performance.now() + seconds * 1_000 };
      // It would displace all others, and then be dropped itself.
      if (entrySize(entry) > maxSize) return;
      entries.set(key, entry);
      held += entrySize(entry);
      shrink();
    },
    resize(next) {
      maxSize = next;
      shrink();
    },
    close: () => entries.clear(),
  };
}

/** A string takes up to two bytes a character. */
function entrySize(entry: Entry | undefined): number {
  return entry === undefined ? 0 : 2 * entry.text.length + 200;
}

const PREFIX = 'gateway:answer:';

/**
 * Keeps answers in Redis. While it is away, nothing is found and nothing is kept.
 * @param log receives one sentence then, one when it is back, and one a minute while it refuses commands.
 */
export async function answersInRedis(url: string, log: (sentence: string) => void): Promise<AnswerStore> {
  let reason = '';
  const report = reportSparingly(() => log(`Redis refuses a command that the cache needs (${reason}).`));
  const redis = await makeConnection(url, {
    onRefused(said) {
      reason = said;
      report();
    },
  });
  let isAway = false;
  redis.on('error', (error: Error) => {
    if (!isAway) log(`Redis cannot be reached (${error.message}), so no answers are cached.`);
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) log('Redis can be reached again, so answers are cached again.');
    isAway = false;
  });
  await redis.connect().catch(() => undefined);
  return {
    get: (key) =>
      redis.get(PREFIX + key).then(
        (text) => text ?? undefined,
        () => undefined,
      ),
    set(key, text, seconds) {
      redis.set(PREFIX + key, text, 'EX', seconds).catch(() => undefined);
    },
    close() {
      isAway = true;
      redis.disconnect();
    },
  };
}
