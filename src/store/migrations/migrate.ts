/** Brings the tables of a store up to date with Kysely's migrator. */

import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Tables } from '../tables.ts';
import { migrations, onlyAdds } from './migrations.ts';

/** What a store's tables are reached by. */
export interface Migrating {
  readonly db: Kysely<Tables>;
  readonly kind: 'sqlite' | 'postgres';
}

/**
 * Brings the tables up to date. @returns the names of the migrations of a newer version that the store has.
 * @throws Error if a migration fails, or a newer version changed the tables so that this one cannot use them.
 */
export async function migrate(store: Migrating): Promise<readonly string[]> {
  const known = migrations();
  const failure = await describeFailure(store, known);
  if (failure === undefined) return [];
  // Kysely calls tables corrupted if they have a migration that it does not know.
  const newer = await migrationsOfNewer(store, known).catch(() => []);
  if (newer.length === 0) throw failure;
  refuseBreaking(newer);
  const done = newer.map((name) => [name, { up: () => Promise.resolve() }]);
  const again = await describeFailure(store, { ...known, ...Object.fromEntries(done) });
  if (again !== undefined) throw again;
  return newer;
}

/**
 * The names of the migrations of a newer version that a store has; undefined if it lacks some of this version. It is only
 * read, so that a server that does not write at the moment is enough.
 * @throws Error as `migrate` does for a newer version.
 */
export async function findUpToDate(store: Migrating): Promise<readonly string[] | undefined> {
  const { rows } = await sql<{ is_there: boolean }>`
    select to_regclass('gateway_migrations') is not null as is_there`.execute(store.db);
  if (rows[0]?.is_there !== true) return undefined;
  const done = new Set(await readMigrations(store));
  const known = Object.keys(migrations());
  if (!known.every((name) => done.delete(name))) return undefined;
  const newer = [...done];
  refuseBreaking(newer);
  return newer;
}

/** @throws Error if a newer version changed the tables so that this one cannot use them. */
function refuseBreaking(newer: readonly string[]): void {
  const breaking = newer.find((name) => !onlyAdds(name));
  if (breaking === undefined) return;
  throw new Error(
    `a newer version of the gateway has changed its tables (${breaking}) so that this one cannot use them`,
  );
}

/** Runs the migrations that have not run yet. @returns the error if they fail. */
async function describeFailure(
  { db, kind }: Migrating,
  all: Readonly<Record<string, Migration>>,
): Promise<unknown> {
  const schema = kind === 'postgres' ? await readSchema(db) : undefined;
  const migrator = new Migrator({
    db,
    // Otherwise Kysely mistakes tables in another schema for these, for example those of a second gateway in the same
    // database.
    ...(schema !== undefined && { migrationTableSchema: schema }),
    provider: { getMigrations: () => Promise.resolve({ ...all }) },
    // Otherwise Kysely requires the order of their timestamps, which come from clocks that may have been wrong.
    allowUnorderedMigrations: true,
    migrationTableName: 'gateway_migrations',
    migrationLockTableName: 'gateway_migrations_lock',
  });
  return (await migrator.migrateToLatest()).error;
}

/** The names of the migrations that the store has and this program does not know. */
export async function migrationsOfNewer(
  store: Migrating,
  known: Readonly<Record<string, Migration>>,
): Promise<readonly string[]> {
  return (await readMigrations(store)).filter((name) => !Object.hasOwn(known, name));
}

/** The names of the migrations that the store has. */
export async function readMigrations({ db }: Pick<Migrating, 'db'>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from gateway_migrations order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** The schema on PostgreSQL's search path that has the tables, or in which they will be created. */
async function readSchema(db: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string | null }>`
    select coalesce(
      (select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where pg_class.oid = to_regclass('gateway_migrations')),
      current_schema()
    ) as name`.execute(db);
  return rows[0]?.name ?? undefined;
}
