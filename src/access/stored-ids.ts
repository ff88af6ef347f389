/**
 * Which key's responses created the objects stored at vendors. Ids are kept in memory first, and in the store for other
 * processes.
 */

import { reportTrouble, type TroubleReports } from '../store/report-trouble.ts';
import type { Owned, OwnedTable } from '../store/stored-ids.ts';
import type { Principal } from './principal.ts';

export interface StoredIds {
  /**
   * Returns those of `ids` that do not belong to a key, given by its name. If memory knows all of them it answers at
   * once, otherwise by a promise, after the store was asked.
   * @throws by the promise, if the store cannot be read.
   */
  missing(ids: readonly string[], key: string): ReadonlySet<string> | Promise<ReadonlySet<string>>;
  /** Records the owner of ids, for this process at once. An id that has another owner keeps it. */
  bind(ids: readonly string[], key: string): void;
  /** Writes what was not written yet. */
  close(): Promise<void>;
}

/** What records that ids belong to a caller; nothing for callers who may use more than their own, or nothing. */
export function bindingTo(
  { name, stored }: Pick<Principal, 'name' | 'stored'>,
  known: Pick<StoredIds, 'bind'>,
): { readonly bind?: (ids: readonly string[]) => void } {
  return stored === 'own' ? { bind: (ids) => known.bind(ids, name) } : {};
}

export interface StoredIdsOptions extends TroubleReports {
  readonly table?: OwnedTable;
  /** How many ids are kept in memory; at most as many wait to be written. */
  readonly maxEntries?: number;
  /** Milliseconds that the first id of a write waits for others. */
  readonly interval?: number;
}

/** No vendor's id is longer; OpenAI's have about 60 characters. */
const MAX_ID_LENGTH = 256;

/** Milliseconds between a failed write and the next one. */
const RETRY = 1_000;

/** @param options all are optional; without a table, ids are in memory only. */
export function openStoredIds({
  table,
  maxEntries = 100_000,
  interval = 50,
  ...reports
}: StoredIdsOptions = {}): StoredIds {
  /** The least recently recorded first. */
  const owners = new Map<string, string>();
  const waiting = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const writes = reportTrouble(reports);
  let isClosed = false;

  const remember = ({ id, key }: Owned): void => {
    owners.delete(id);
    owners.set(id, key);
    for (const oldest of owners.keys()) {
      if (owners.size <= maxEntries) break;
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
      writes.worked('The owners of objects stored at vendors can be written to the store again.');
    } catch (error) {
      writes.failed('The owners of objects stored at vendors cannot be written to the store', error);
      if (!isClosed) writeIn(RETRY);
    }
  };

  const writeIn = (milliseconds: number): void => {
    timer ??= setTimeout(() => {
      writing = writing.then(write);
    }, milliseconds).unref();
  };

  return {
    missing(ids, key) {
      const strange = new Set(ids.filter((id) => owners.get(id) !== key));
      const unknown = [...strange].filter((id) => !owners.has(id) && isId(id));
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
        if (owners.has(id) || !isId(id)) continue;
        remember({ id, key });
        if (table === undefined) continue;
        if (waiting.size < maxEntries) waiting.set(id, key);
        writeIn(interval);
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      writing = writing.then(write);
      await writing;
    },
  };
}

/** Whether a text can be a vendor's id. PostgreSQL does not accept text with U+0000, even in a query. */
function isId(text: string): boolean {
  return text !== '' && text.length <= MAX_ID_LENGTH && !text.includes('\0');
}

/**
 * Looks ids up in the store. Another process may have received a response a moment ago and not have written its ids
 * yet. Missing ids are therefore looked up once more, after the time that takes.
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
