/**
 * The store's keys in memory, for the request path, and their changes as they come: one row is read again and again,
 * and after it has changed the keys that have: to read all of 50,000 takes the request path half a second. Of groups, of
 * which there are fewer, all are read when one of them has changed. PostgreSQL could tell by LISTEN and NOTIFY, but not
 * through a pooler in between; a row a second is nothing to it, and the same in SQLite.
 */

import { repeat } from '../lib/repeat.ts';
import { groupsState, listGroups } from '../store/groups.ts';
import { groupRecordOf, recordsOf } from '../store/key-record.ts';
import { keysChangedAfter, listKeys } from '../store/list-keys.ts';
import { replacementOf } from '../store/same-file.ts';
import type { Store } from '../store/store.ts';
import { reasonOf } from '../store/store-errors.ts';
import type { ChangeRow } from '../store/tables.ts';
import { type Keys, openKeyBook } from './keys.ts';

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
  /** Told once when the keys can no longer be read, and once where their file is replaced. */
  readonly onTrouble?: (message: string) => void;
  /** Told once when they can be read again. */
  readonly onRecovered?: (message: string) => void;
}

/**
 * Reads the keys, and follows them from then on. While the store cannot be read, those known open.
 * @throws where the store cannot be read at the start.
 */
export async function followKeys(
  store: Store,
  { interval = 1_000, onTrouble = () => {}, onRecovered = () => {} }: FollowOptions = {},
): Promise<FollowedKeys> {
  let book = openKeyBook();
  let known: (Changes & { readonly groups: string }) | undefined;
  let troubled = false;
  let isReplaced = store.kind === 'sqlite' ? await replacementOf(store.place.path) : undefined;
  let stopped = false;

  async function refresh(): Promise<void> {
    if (known !== undefined && (await keyChanges(store)).version === known.version) return;
    const before = known;
    // All as it is at one moment: a key that is of a new group is not seen without the group.
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
        return { isByRow, rows, groups, known: { ...changes, groups: state } };
      });
    const next = read.isByRow ? book : openKeyBook();
    if (read.groups !== undefined) next.setGroups(read.groups.map(groupRecordOf));
    for (const row of read.rows) next.set(row.id, recordsOf(row));
    book = next;
    known = read.known;
  }

  async function look(): Promise<void> {
    if (await isReplaced?.()) {
      isReplaced = undefined;
      onTrouble(
        `${store.place.path} was moved, deleted or replaced while in use: until it is restarted, the gateway goes on with the old file and does not see a new one.`,
      );
    }
    try {
      await refresh();
      if (troubled) onRecovered('Keys can be read from the store again.');
      troubled = false;
    } catch (error) {
      if (!troubled && !stopped)
        onTrouble(`Keys cannot be read from the store, so changes to them are not seen: ${reasonOf(error)}`);
      troubled = true;
    }
  }

  await refresh();
  const looking = repeat(look, interval);
  return {
    keys: { find: (key) => book.find(key) },
    refresh,
    stop() {
      stopped = true;
      looking.stop();
    },
  };
}

/** How many changes of keys there have been. */
type Changes = Pick<ChangeRow, 'version' | 'by_row'>;

function keyChanges({ db }: Pick<Store, 'db'>): Promise<Changes> {
  return db
    .selectFrom('gateway_changes')
    .select(['version', 'by_row'])
    .where('name', '=', 'keys')
    .executeTakeFirstOrThrow();
}

/** Whether each change since then can be told by the row it was made to. */
function areByRow(known: Changes, now: Changes): boolean {
  return now.version > known.version && now.version - known.version === now.by_row - known.by_row;
}
