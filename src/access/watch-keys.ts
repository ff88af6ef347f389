/**
 * The store's keys in memory, for the request path. Changes are noticed by polling one row. After a change only the
 * changed keys are read: to read all of 50,000 would take half a second of the request path. There are fewer groups, so
 * all of them are read when one has changed. LISTEN and NOTIFY of PostgreSQL do not work through a pooler, and one row
 * a second costs next to nothing in either database.
 */

import { repeat } from '../lib/repeat.ts';
import { type KeyChanges, keyChanges } from '../store/keys/changes.ts';
import { groupsState, listGroups } from '../store/keys/groups.ts';
import { groupRecordFromRow, recordsFromRow } from '../store/keys/key-record.ts';
import { keysChangedAfter, lastRevokedKeys, listKeys } from '../store/keys/list-keys.ts';
import { findReplacement } from '../store/sqlite/same-file.ts';
import type { Store } from '../store/store.ts';
import { getReason } from '../store/store-errors.ts';
import { type Keys, MAX_REVOKED, openKeyRegistry } from './keys.ts';

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
  let known: (KeyChanges & { readonly groups: string }) | undefined;
  let troubled = false;
  /** The last refresh that was asked for. */
  let reading = Promise.resolve();
  let isReplaced = store.kind === 'sqlite' ? await findReplacement(store.place.path) : undefined;

  async function readChanges(): Promise<void> {
    if (known !== undefined && (await keyChanges(store)).version === known.version) return;
    const before = known;
    // Everything is read as it is at one moment, so that a key in a new group is never seen without its group.
    const read = await store.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (db) => {
        const changes = await keyChanges({ db });
        const isByRow = before !== undefined && areByRow(before, changes);
        const rows = isByRow ? await keysChangedAfter({ db }, before.by_row) : await listKeys({ db });
        const state = await groupsState({ db });
        const groups = isByRow && before.groups === state ? undefined : await listGroups({ db });
        // By row, `rows` has the keys that were revoked since.
        const revoked = isByRow
          ? rows.filter(({ revoked_at: at }) => at !== null)
          : await lastRevokedKeys({ db }, MAX_REVOKED);
        return { isByRow, rows, revoked, groups, known: { ...changes, groups: state } };
      });
    const next = read.isByRow ? registry : openKeyRegistry();
    if (read.groups !== undefined) next.setGroups(read.groups.map(groupRecordFromRow));
    for (const row of read.rows) next.set(row.id, recordsFromRow(row));
    for (const key of read.revoked) next.addRevoked(key);
    registry = next;
    known = read.known;
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

  async function look(): Promise<void> {
    if (await isReplaced?.()) {
      isReplaced = undefined;
      onTrouble(
        `${store.place.path} was moved, deleted or replaced while in use. Until it is restarted, the gateway goes on with the old file and does not see a new one.`,
      );
    }
    try {
      await refresh();
      if (troubled) onRecovered('Keys can be read from the store again.');
      troubled = false;
    } catch (error) {
      if (!troubled)
        onTrouble(`Keys cannot be read from the store, so changes to them are not seen: ${getReason(error)}`);
      troubled = true;
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

/** Whether every change since then says which row it changed. */
function areByRow(known: KeyChanges, now: KeyChanges): boolean {
  return now.version > known.version && now.version - known.version === now.by_row - known.by_row;
}
