/**
 * The store: data that outlives the process, in one SQLite file or in PostgreSQL. The request path never waits for it.
 */

import { Kysely, sql } from 'kysely';
import type { Actor } from './actor.ts';
import { findUpToDate, migrate, migrationsOfNewer } from './migrations/migrate.ts';
import { migrations } from './migrations/migrations.ts';
import { inOneMigration, MIGRATION_TIMEOUT, postgresDialect } from './postgres.ts';
import { sayIfSlow } from './say-if-slow.ts';
import { adviceOnDisk } from './sqlite/full-disk.ts';
import { type SqliteOptions, sqliteDialect } from './sqlite/sqlite.ts';
import { getReason, hintFor, StoreError, type StorePlace } from './store-errors.ts';
import type { Tables } from './tables.ts';

/** An open store. */
export interface Store {
  readonly db: Kysely<Tables>;
  readonly kind: 'sqlite' | 'postgres';
  readonly place: StorePlace;
  /** Names of migrations of a newer version. They only added to the tables. */
  readonly newer: readonly string[];
  /** Who makes the changes, for the audit trail; absent means the gateway itself. */
  readonly actor?: Actor;
  /** Makes later connections to PostgreSQL with the user and the password of this address. */
  readonly renewAddress: (url: string) => void;
  close(): Promise<void>;
}

/**
 * Opens the store and brings its tables up to date. Several processes may do so at once.
 * @param onSlow called with a sentence if that takes long.
 * @param options how a file is opened.
 * @throws StoreError if the store cannot be reached, or if a newer version changed it so that this one cannot use it.
 */
export async function openStore(
  place: StorePlace,
  onSlow: (sentence: string) => void = () => {},
  options: SqliteOptions = {},
): Promise<Store> {
  return opened(connectStore(place, { ...options, create: true }), (store) =>
    place.url === undefined ? migrate(store) : migratePostgres(store, place.url, onSlow),
  );
}

/**
 * Brings the tables in PostgreSQL up to date, if they are not: over a connection of its own, whose statements may take as
 * long as they need. @returns the names of the migrations of a newer version.
 */
async function migratePostgres(
  store: Store,
  url: string,
  onSlow: (sentence: string) => void,
): Promise<readonly string[]> {
  const newer = await findUpToDate(store);
  if (newer !== undefined) return newer;
  const db = new Kysely<Tables>({ dialect: postgresDialect(url, MIGRATION_TIMEOUT) });
  const migrating = inOneMigration(db, (connection) => migrate({ ...store, db: connection }));
  return sayIfSlow(migrating, () => onSlow(slowMigration(store.place))).finally(() => db.destroy());
}

function slowMigration(place: StorePlace): string {
  return `The tables of the store ${describePlace(place)} are being brought up to date, here or by another process, which can take minutes. If it is interrupted, it begins again.`;
}

/**
 * Opens a store only to read it. Nothing is created, and the tables of an earlier version stay as they are.
 * @throws StoreError if there is no store, or it cannot be reached.
 */
export function openReadOnly(place: StorePlace): Promise<Store> {
  return opened(connectStore(place, { readOnly: true }), (store) => migrationsOfNewer(store, migrations()));
}

/**
 * Checks an open store. @param newerOf returns the names of its migrations of a newer version.
 * @throws StoreError if that fails; the store is closed then.
 */
async function opened(store: Store, newerOf: (store: Store) => Promise<readonly string[]>): Promise<Store> {
  try {
    return { ...store, newer: await newerOf(store) };
  } catch (error) {
    await store.close().catch(() => {});
    throw new StoreError(
      `the store ${describePlace(store.place)} cannot be opened: ${getReason(error)}${hintFor(error, store.place)}${adviceOnDisk(error, store.place)}`,
      { cause: error },
    );
  }
}

/** Says where a store is, for people: without user and password. */
export function describePlace({ path, url }: StorePlace): string {
  if (url === undefined) return path;
  const { hostname, pathname } = new URL(url);
  // A part with an @ in it is the end of a password that contains a slash.
  return `PostgreSQL (${hostname}${pathname.includes('@') ? '' : pathname})`;
}

/**
 * A store that exists, and whose tables are known to be up to date. It connects at the first query.
 * @param options how a file is opened.
 */
export function connectStore(place: StorePlace, options: SqliteOptions = {}): Store {
  const { path, url } = place;
  let address = url ?? '';
  const postgres = url !== undefined;
  const db = new Kysely<Tables>({
    dialect: postgres ? postgresDialect(() => address) : sqliteDialect(path, options),
  });
  return {
    db,
    kind: postgres ? 'postgres' : 'sqlite',
    place,
    newer: [],
    renewAddress(next) {
      address = next;
    },
    close: () => db.destroy(),
  };
}

/** Whether the store answers. */
export async function isReachable({ db }: Store): Promise<boolean> {
  return sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
}
