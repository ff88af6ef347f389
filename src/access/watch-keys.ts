/**
 * The store's keys in memory, for the request path. Changes are noticed by polling one row. After a change only the
 * changed keys are read, if they are not many. There are fewer groups, so all of them are read when one has changed. What
 * is read of all keys comes in pieces, and callers are served in between. LISTEN and NOTIFY of PostgreSQL do not work
 * through a pooler, and one row a second costs next to nothing in either database.
 */

import { repeat } from '../lib/repeat.ts';
import { type KeyChanges, keyChanges } from '../store/keys/changes.ts';
import { groupsInPieces, groupsState } from '../store/keys/groups.ts';
import { groupRecordFromRow, recordsFromRow } from '../store/keys/key-record.ts';
import { keysChangedAfter, keysInPieces, lastRevokedKeys } from '../store/keys/list-keys.ts';
import { reportTrouble } from '../store/report-trouble.ts';
import { findReplacement, isEmptied } from '../store/sqlite/same-file.ts';
import type { Store } from '../store/store.ts';
import { type KeyRegistry, type Keys, MAX_REVOKED, openKeyRegistry } from './keys.ts';
import { type KnownGroup, toKnownGroup } from './principal.ts';

export interface WatchOptions {
  /** Milliseconds between two looks. */
  readonly interval?: number;
  /** Called once when the keys can no longer be read, and once when the store's file is replaced. */
  readonly onTrouble?: (message: string) => void;
  /** Called once when the keys can be read again. */
  readonly onRecovered?: (message: string) => void;
}

/**
 * Reads the keys, and follows their changes from then on. While the store cannot be read, the keys known so far stay
 * valid.
 * @throws if the store cannot be read at the start.
 */
export async function watchKeys(
  store: Store,
  { interval = 1_000, onTrouble = () => {}, onRecovered = () => {} }: WatchOptions = {},
) {
  let registry = openKeyRegistry();
  let known: Known | undefined;
  const reports = reportTrouble({ onTrouble, onRecovered });
  /** The last refresh that was asked for. */
  let reading = Promise.resolve();
  const { path } = store.place;
  let isReplaced = store.kind === 'sqlite' ? await findReplacement(path) : undefined;
  let isEmpty = false;
  // What is written last is in the write-ahead log only, until SQLite moves it into the file.
  let isLogReplaced = store.kind === 'sqlite' ? await findReplacement(`${path}-wal`) : undefined;

  async function readChanges(): Promise<void> {
    if (known !== undefined && (await keyChanges(store)).version === known.version) return;
    const before = known;
    // Everything is read as it is at one moment, so that a key in a new group is never seen without its group.
    const read = await store.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (db) => {
        const now = { ...(await keyChanges({ db })), groups: await groupsState({ db }) };
        const next =
          before !== undefined && areByRow(before, now)
            ? await readChanged({ db }, before, now)
            : await readAll({ db });
        return { now, next };
      });
    registry = read.next(registry);
    known = read.now;
  }

  /**
   * Looks for changes now. One look comes after the other: of two at once, the one that has read less may end last, and put
   * a revoked key back.
   * @throws if the store cannot be read.
   */
  function refresh(): Promise<void> {
    reading = reading.then(readChanges, readChanges);
    return reading;
  }

  async function lookAtFiles(): Promise<void> {
    if (await isReplaced?.()) {
      isReplaced = undefined;
      isLogReplaced = undefined;
      onTrouble(
        `${path} was moved, deleted or replaced while in use. Until it is restarted, the gateway goes on with the old file and does not see a new one.`,
      );
    }
    if (!isEmpty && store.kind === 'sqlite' && (await isEmptied(path))) {
      isEmpty = true;
      onTrouble(
        `${path} was emptied while in use: it has 0 bytes, so what the store had is lost, except for what ${path}-wal has. Stop the gateway, and put a backup in its place. Until then it serves with the keys that it knows.`,
      );
    }
    if (await isLogReplaced?.()) {
      isLogReplaced = undefined;
      onTrouble(
        `${path}-wal was moved, deleted or replaced while in use. Restart the gateway: it writes what was in that file to the store when it stops. If it is killed, that is lost, and meanwhile other processes, such as commands, cannot use the store.`,
      );
    }
  }

  async function look(): Promise<void> {
    await lookAtFiles();
    try {
      await refresh();
      reports.worked('Keys can be read from the store again.');
    } catch (error) {
      reports.failed('Keys cannot be read from the store, so changes to them are not seen', error);
    }
  }

  await refresh();
  const looking = repeat(look, interval);
  return {
    /** The keys as they are now; lookups follow the changes. */
    keys: {
      // A reload of all keys makes another registry.
      findByHash: (hash) => registry.findByHash(hash),
      findEnded: (hash) => registry.findEnded(hash),
    } satisfies Keys,
    refresh,
    /** Resolves when the store is read no more. */
    async stop(): Promise<void> {
      await looking.stop();
      // Its caller has the error already.
      await reading.catch(() => {});
    },
  };
}

/** Changes to keys and groups that have been read. */
interface Known extends KeyChanges {
  /** As `groupsState`. */
  readonly groups: string;
}

/** Makes the registry that follows another one, in one turn: a key and its group are never seen as of two moments. */
type NextRegistry = (present: KeyRegistry) => KeyRegistry;

/** So many rows are read at once, and so many changes are made in one turn: each takes some 10 microseconds. */
const PIECE = 250;

/** Whether every change since then says which row it changed, and they are few. */
function areByRow(known: KeyChanges, now: KeyChanges): boolean {
  const changes = now.version - known.version;
  return changes > 0 && changes <= PIECE && changes === now.by_row - known.by_row;
}

async function readChanged(store: Pick<Store, 'db'>, known: Known, now: Known): Promise<NextRegistry> {
  const rows = await keysChangedAfter(store, known.by_row);
  const groups = known.groups === now.groups ? undefined : await readGroups(store);
  return (present) => {
    if (groups !== undefined) present.setGroups(groups);
    for (const row of rows) {
      present.set(row.id, recordsFromRow(row));
      if (row.revoked_at !== null) present.addRevoked(row);
    }
    return present;
  };
}

async function readAll(store: Pick<Store, 'db'>): Promise<NextRegistry> {
  const next = openKeyRegistry();
  next.setGroups(await readGroups(store));
  for await (const rows of keysInPieces(store, PIECE))
    for (const row of rows) next.set(row.id, recordsFromRow(row));
  for (const key of await lastRevokedKeys(store, MAX_REVOKED)) next.addRevoked(key);
  return () => next;
}

async function readGroups(store: Pick<Store, 'db'>): Promise<ReadonlyMap<string, KnownGroup>> {
  const groups = new Map<string, KnownGroup>();
  for await (const rows of groupsInPieces(store, PIECE))
    for (const row of rows) groups.set(row.name, toKnownGroup(groupRecordFromRow(row)));
  return groups;
}
