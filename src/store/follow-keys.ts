/**
 * The store's keys in memory, for the request path, and their changes as they come: one row is read again and again,
 * and all keys only after it has changed. PostgreSQL could tell by LISTEN and NOTIFY, but not through a pooler in
 * between; a row a second is nothing to it, and the same in SQLite.
 */

import { type Keys, keysOf } from '../keys.ts';
import { keyRecords } from './key-records.ts';
import { reasonOf, type Store } from './store.ts';

export interface FollowedKeys {
  /** The keys as they are now: what it finds changes as they do. */
  readonly keys: Keys;
  /** Looks for changes now. @throws where the store cannot be read. */
  refresh(): Promise<void>;
  stop(): void;
}

export interface FollowOptions {
  /** Milliseconds between two looks. */
  readonly interval?: number;
  /** Told once when the keys can no longer be read, and once when they can again. */
  readonly onTrouble?: (message: string) => void;
}

/**
 * Reads the keys, and follows them from then on. While the store cannot be read, those known open.
 * @throws where the store cannot be read at the start.
 */
export async function followKeys(
  store: Store,
  { interval = 1_000, onTrouble = () => {} }: FollowOptions = {},
): Promise<FollowedKeys> {
  let keys: Keys = keysOf([]);
  let known: number | undefined;
  let troubled = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function refresh(): Promise<void> {
    // The version first: a change between the two reads is then seen again, not missed.
    const version = await keysVersion(store);
    if (version === known) return;
    keys = keysOf(await keyRecords(store));
    known = version;
  }

  async function look(): Promise<void> {
    try {
      await refresh();
      if (troubled) onTrouble('Keys are read from the store again.');
      troubled = false;
    } catch (error) {
      if (!troubled && !stopped) onTrouble(`Keys cannot be read from the store: ${reasonOf(error)}`);
      troubled = true;
    }
    lookLater();
  }

  function lookLater(): void {
    if (stopped) return;
    timer = setTimeout(look, interval);
    timer.unref();
  }

  await refresh();
  lookLater();
  return {
    keys: { find: (key) => keys.find(key) },
    refresh,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function keysVersion({ db }: Store): Promise<number> {
  const { version } = await db
    .selectFrom('gateway_changes')
    .select('version')
    .where('name', '=', 'keys')
    .executeTakeFirstOrThrow();
  return version;
}
