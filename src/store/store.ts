/** The store: what has to outlive the process, in one SQLite file or in PostgreSQL. Never on the request path. */

import { Kysely, Migrator, sql } from 'kysely';
import { migrations } from './migrations.ts';
import { postgresDialect } from './postgres.ts';
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
 * @throws StoreError where it cannot be reached, or was written by a newer program.
 */
export async function openStore(
  { path, url }: StorePlace,
  onTrouble: (reason: string) => void = () => {},
): Promise<Store> {
  const postgres = url !== undefined;
  const db = new Kysely<Tables>({
    dialect: postgres ? postgresDialect(url, onTrouble) : sqliteDialect(path),
  });
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy().catch(() => {});
    const where = postgres ? 'PostgreSQL (DATABASE_URL)' : path;
    throw new StoreError(`the store, ${where}, cannot be opened: ${reasonOf(error)}`, { cause: error });
  }
  return { db, kind: postgres ? 'postgres' : 'sqlite', close: () => db.destroy() };
}

async function migrate(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: migrations,
    migrationTableName: 'gateway_migrations',
    migrationLockTableName: 'gateway_migrations_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Whether the store answers at all. */
export async function isReachable({ db }: Store): Promise<boolean> {
  return sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
}

/** Why it failed, in words. An attempt at several addresses (AggregateError) has none of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
