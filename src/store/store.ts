/** The store: what has to outlive the process, in one SQLite file or in PostgreSQL. Never on the request path. */

import { Kysely, sql } from 'kysely';
import { migrate, migrationsOfNewer } from './migrate.ts';
import { migrations } from './migrations.ts';
import { inOneMigration, postgresDialect } from './postgres.ts';
import { sqliteDialect } from './sqlite.ts';
import { hintFor, reasonOf, StoreError, type StorePlace } from './store-errors.ts';
import type { Tables } from './tables.ts';

export interface Store {
  readonly db: Kysely<Tables>;
  readonly kind: 'sqlite' | 'postgres';
  readonly place: StorePlace;
  /** Migrations of a newer version, which have only added to the tables. */
  readonly newer: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens the store and brings its tables up to date; several processes may do so at once.
 * @param onTrouble told what goes wrong later and between queries, in one sentence.
 * @throws StoreError where it cannot be reached, or a newer version has made of it what this one cannot use.
 */
export async function openStore(
  place: StorePlace,
  onTrouble: (reason: string) => void = () => {},
): Promise<Store> {
  return opened(connectStore(place, onTrouble), (store) =>
    store.kind === 'postgres' ? inOneMigration(store.db, (db) => migrate({ ...store, db })) : migrate(store),
  );
}

/**
 * Opens a store only to read it: nothing is made where there is none, and its tables stay as they are, also those of an
 * earlier version.
 * @throws StoreError where there is none, or it cannot be reached.
 */
export function openToRead(place: StorePlace): Promise<Store> {
  return opened(
    connectStore(place, () => {}, true),
    (store) => migrationsOfNewer(store, migrations()),
  );
}

/** The store once `newerOf` has been done with it, which tells its migrations of a newer version. @throws StoreError */
async function opened(store: Store, newerOf: (store: Store) => Promise<readonly string[]>): Promise<Store> {
  try {
    return { ...store, newer: await newerOf(store) };
  } catch (error) {
    await store.close().catch(() => {});
    throw new StoreError(
      `the store ${nameOf(store.place)} cannot be opened: ${reasonOf(error)}${hintFor(error, store.place)}`,
      { cause: error },
    );
  }
}

/** What people are told of where a store is: no user, no password. */
export function nameOf({ path, url }: StorePlace): string {
  if (url === undefined) return path;
  const { hostname, pathname } = new URL(url);
  // What has an @ in it is the end of a password with a slash in it.
  return `PostgreSQL (${hostname}${pathname.includes('@') ? '' : pathname})`;
}

/**
 * A store that has been opened before, once more: connected where it is asked something, its tables as they are.
 * @param onTrouble told what goes wrong between queries, in one sentence.
 * @param readOnly whether a file is only read, and never made.
 */
export function connectStore(
  place: StorePlace,
  onTrouble: (reason: string) => void,
  readOnly = false,
): Store {
  const { path, url } = place;
  const postgres = url !== undefined;
  const db = new Kysely<Tables>({
    dialect: postgres ? postgresDialect(url, onTrouble) : sqliteDialect(path, readOnly),
  });
  return { db, kind: postgres ? 'postgres' : 'sqlite', place, newer: [], close: () => db.destroy() };
}

/** Whether the store answers at all. */
export async function isReachable({ db }: Store): Promise<boolean> {
  return sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
}
