/** PostgreSQL for Kysely. */

import { type Dialect, type Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely';
import type { Pool } from 'pg';

/** Connections of one process: writes come in batches, and reads are rare. */
const CONNECTIONS = 4;

/** OIDs of int8 and numeric, which pg gives as text: every number in these tables fits into a double. */
const LONG_NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

/** The dialect of the database at `url` (`postgres://…`). @param onTrouble told when an idle connection breaks. */
export function postgresDialect(url: string, onTrouble: (reason: string) => void): Dialect {
  const dialect = new PostgresDialect({ pool: () => openPool(url, onTrouble) });
  return {
    createAdapter: () => new PoolableAdapter(),
    createDriver: () => dialect.createDriver(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

/**
 * Migrates in one transaction, by a lock that ends with it. Kysely's own lock is the connection's, and its transaction
 * begins behind it: where a pooler lends connections by the transaction, the lock is taken on one and let go on another,
 * so two processes have it at once, or it is held for good and the next start waits for it in vain.
 */
class PoolableAdapter extends PostgresAdapter {
  override get supportsTransactionalDdl(): boolean {
    return false;
  }

  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`begin`.execute(db);
    await sql`select pg_advisory_xact_lock(hashtext('gateway_migrations'))`.execute(db);
  }

  /** Where a migration has failed, PostgreSQL takes this for a rollback. */
  override async releaseMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`commit`.execute(db);
  }
}

/** Most stores are SQLite's: what speaks to PostgreSQL is loaded only where it is. */
async function openPool(url: string, onTrouble: (reason: string) => void): Promise<Pool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: verifying(url),
    max: CONNECTIONS,
    application_name: 'gateway',
    connectionTimeoutMillis: 5_000,
    // A server that went away without a word must not hold a write, or the end of the process, for ever.
    query_timeout: 30_000,
    keepAlive: true,
    types: {
      getTypeParser(oid: number, format?: 'text' | 'binary') {
        return LONG_NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format);
      },
    },
  });
  // Without a listener the end of the database server would be the end of this process. The pool listens to connections
  // that are idle; one that is lent out may break between two statements, and the next of them tells of it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) => onTrouble(`A connection to PostgreSQL broke: ${error.message}`));
  return pool;
}

/**
 * The address with the mode of TLS that pg takes `prefer`, `require` and `verify-ca` for, which it warns of in eight
 * lines, in every thread (pg-connection-string 2). In libpq they verify less, as `uselibpqcompat=true` has it here too.
 */
function verifying(url: string): string {
  if (url.includes('uselibpqcompat=true')) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}
