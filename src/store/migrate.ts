/** Brings the tables of a store up to date with Kysely's migrator. */

import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { migrations, onlyAdds } from './migrations.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** Brings the tables up to date. @returns the migrations of a newer version that they have. */
export async function migrate(store: Store): Promise<readonly string[]> {
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
export async function migrationsOfNewer(
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
