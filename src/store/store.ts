/** The store: what has to outlive the process, in one SQLite file or in PostgreSQL. Never on the request path. */

import { Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { errorCode } from '../lib/error-code.ts';
import { migrations, onlyAdds } from './migrations.ts';
import { inOneMigration, postgresDialect } from './postgres.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

/** Where the store is: PostgreSQL at `url`, or else the SQLite file `path`. */
export interface StorePlace {
  readonly path: string;
  readonly url?: string;
}

export interface Store {
  readonly db: Kysely<Tables>;
  readonly kind: 'sqlite' | 'postgres';
  readonly place: StorePlace;
  /** Migrations of a newer version, which have only added to the tables. */
  readonly newer: readonly string[];
  close(): Promise<void>;
}

/** A store that cannot be used: says why. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code = 'STORE';
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

/** Brings the tables up to date. @returns the migrations of a newer version that they have. */
async function migrate(store: Store): Promise<readonly string[]> {
  const known = migrations();
  const failure = await failureOf(store, known);
  if (failure === undefined) return [];
  // Kysely calls tables corrupted that have a migration it is not given.
  const newer = await migrationsOfNewer(store, known).catch(() => []);
  if (newer.length === 0) throw failure;
  const breaking = newer.find((name) => !onlyAdds(name));
  if (breaking !== undefined) {
    throw new Error(
      `a newer version of the gateway has changed its tables (${breaking}) so that this one cannot use them`,
    );
  }
  const done = newer.map((name) => [name, { up: () => Promise.resolve() }]);
  const again = await failureOf(store, { ...known, ...Object.fromEntries(done) });
  if (again !== undefined) throw again;
  return newer;
}

/** Runs those of the migrations that have not been. @returns why they could not be. */
async function failureOf({ db, kind }: Store, all: Readonly<Record<string, Migration>>): Promise<unknown> {
  const schema = kind === 'postgres' ? await schemaOf(db) : undefined;
  const migrator = new Migrator({
    db,
    // Else Kysely takes tables of another schema for these, as of a second gateway in the same database.
    ...(schema !== undefined && { migrationTableSchema: schema }),
    provider: { getMigrations: () => Promise.resolve({ ...all }) },
    // Else Kysely wants them in the order of the times they were made at, by clocks that may have been wrong.
    allowUnorderedMigrations: true,
    migrationTableName: 'gateway_migrations',
    migrationLockTableName: 'gateway_migrations_lock',
  });
  return (await migrator.migrateToLatest()).error;
}

/** The migrations that the store has and this program has not. */
async function migrationsOfNewer(
  { db }: Store,
  known: Readonly<Record<string, Migration>>,
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from gateway_migrations order by name`.execute(db);
  return rows.map(({ name }) => name).filter((name) => !Object.hasOwn(known, name));
}

/** The schema on PostgreSQL's search path that has the tables, or where there are none yet, would get them. */
async function schemaOf(db: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string | null }>`
    select coalesce(
      (select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where pg_class.oid = to_regclass('gateway_migrations')),
      current_schema()
    ) as name`.execute(db);
  return rows[0]?.name ?? undefined;
}

/** Whether the store answers at all. */
export async function isReachable({ db }: Store): Promise<boolean> {
  return sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
}

/** SQLite's BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL and CANTOPEN (its documentation, "Result and Error Codes"). */
const SQLITE_SHORT: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14]);

/** PostgreSQL's classes 40, 53, 55, 57 and 58, and a transaction that may only read (its documentation, appendix A). */
const POSTGRES_SHORT = /^(?:(?:40|5[3578])...|25006)$/;

/** Whether a write failed for what the store is short of, room or a lock as a rule, and not for what was to be written. */
export function isShort(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The lowest byte of an extended code is the code.
  if ('errcode' in error && typeof error.errcode === 'number') return SQLITE_SHORT.has(error.errcode & 0xff);
  return POSTGRES_SHORT.test(errorCode(error) ?? '');
}

/** SQLite's TOOBIG, CONSTRAINT and MISMATCH. */
const SQLITE_REFUSALS: ReadonlySet<number> = new Set([18, 19, 20]);

/** PostgreSQL's classes 22, 23 and 54: a value that is none of its column's, a constraint, a size. */
const POSTGRES_REFUSALS = /^(?:2[23]|54)...$/;

/** Whether a write failed for what was to be written, which fails again whenever it is tried. All else may pass. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && typeof error.errcode === 'number')
    return SQLITE_REFUSALS.has(error.errcode & 0xff);
  return POSTGRES_REFUSALS.test(errorCode(error) ?? '');
}

/** Node's codes of certificates that nobody it trusts has signed (its documentation, "X509 certificate error codes"). */
const UNTRUSTED: ReadonlySet<string | undefined> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** A folder that is not the user's, a file system that is read-only, as containers have them. */
const UNWRITABLE: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** What helps, where nobody would think of it: PostgreSQL's own clients verify nothing for `require`, and a file has no address. */
function hintFor(error: unknown, { url }: StorePlace): string {
  const code = errorCode(error);
  if (UNTRUSTED.has(code))
    return '. To trust its certificate, add sslrootcert=FILE (the authority that signed it) to the address; sslmode=no-verify skips the check';
  return url === undefined && UNWRITABLE.has(code)
    ? '. GATEWAY_STORE_PATH (store.path) names another file, DATABASE_URL (store.url) a PostgreSQL'
    : '';
}

/** Why it failed, in words. An attempt at several addresses (AggregateError) has none of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
