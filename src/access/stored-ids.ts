/** Whose answers have made what lies at the vendors' accounts: in memory first, and in the store for other processes. */

import type { LogProblem } from '../lib/diagnostics.ts';
import type { Owned, OwnedTable } from '../store/stored-ids.ts';

export interface StoredIds {
  /**
   * Those of `ids` that are not of a key, by its name: at once where memory knows all of them, else by a promise, for which
   * the store is asked.
   * @throws by the promise: where the store cannot be read.
   */
  missing(ids: readonly string[], key: string): ReadonlySet<string> | Promise<ReadonlySet<string>>;
  /** Notes whose they are, at once for this process. What has been another's stays that one's. */
  bind(ids: readonly string[], key: string): void;
  /** Writes what has not been written. */
  close(): Promise<void>;
}

export interface StoredIdsOptions {
  readonly table?: OwnedTable;
  readonly tell?: LogProblem;
  /** Ids that are kept in memory, and as many at most wait to be written. */
  readonly most?: number;
  /** Milliseconds that the first one of a write waits for others. */
  readonly interval?: number;
}

/** No id of a vendor's is longer; OpenAI's have some 60 characters. */
const LONGEST = 256;

export function openStoredIds({
  table,
  tell = () => {},
  most = 100_000,
  interval = 50,
}: StoredIdsOptions = {}): StoredIds {
  /** The least recently noted first. */
  const owners = new Map<string, string>();
  const waiting = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isTroubled = false;

  const remember = ({ id, key }: Owned): void => {
    owners.delete(id);
    owners.set(id, key);
    for (const oldest of owners.keys()) {
      if (owners.size <= most) break;
      owners.delete(oldest);
    }
  };

  const write = async (): Promise<void> => {
    timer = undefined;
    if (table === undefined || waiting.size === 0) return;
    const owned = [...waiting].map(([id, key]) => ({ id, key }));
    try {
      await table.add(owned);
      for (const { id } of owned) waiting.delete(id);
      isTroubled = false;
    } catch (error) {
      // They wait for the next write, which the next answer brings about.
      if (!isTroubled) tell('What answers have stored at vendors cannot be written down.', error);
      isTroubled = true;
    }
  };

  const writeSoon = (): void => {
    timer ??= setTimeout(() => {
      writing = writing.then(write);
    }, interval).unref();
  };

  return {
    missing(ids, key) {
      const strange = new Set(ids.filter((id) => owners.get(id) !== key));
      const unknown = [...strange].filter((id) => !owners.has(id) && id.length <= LONGEST);
      if (table === undefined || unknown.length === 0) return strange;
      return lookedUp(table, unknown, interval).then((found) => {
        for (const owned of found) {
          remember(owned);
          if (owned.key === key) strange.delete(owned.id);
        }
        return strange;
      });
    },
    bind(ids, key) {
      for (const id of ids) {
        if (owners.has(id) || id === '' || id.length > LONGEST) continue;
        remember({ id, key });
        if (table === undefined) continue;
        if (waiting.size < most) waiting.set(id, key);
        writeSoon();
      }
    },
    async close() {
      clearTimeout(timer);
      writing = writing.then(write);
      await writing;
    },
  };
}

/**
 * What the table has of some ids. Another process may have had the answer that made one a moment ago, and not have written
 * it yet: what is not there is looked for once more after the time that takes.
 */
async function lookedUp(
  table: OwnedTable,
  ids: readonly string[],
  interval: number,
): Promise<readonly Owned[]> {
  const found = await table.find(ids);
  if (found.length === ids.length) return found;
  await new Promise((resolve) => setTimeout(resolve, 4 * interval));
  const known = new Set(found.map(({ id }) => id));
  return [...found, ...(await table.find(ids.filter((id) => !known.has(id))))];
}
