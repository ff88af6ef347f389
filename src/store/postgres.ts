/** PostgreSQL for Kysely. */

import {
  type Dialect,
  type Kysely,
  PostgresAdapter,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely';

/** Connections of one process: writes come in batches, and reads are rare. */
const CONNECTIONS = 4;

/** Milliseconds that a statement may take, and those for which a migration or a write waits for others: PostgreSQL gives up first. */
const QUERY_TIMEOUT = 30_000;
const LOCK_TIMEOUT = 20_000;

/**
 * Milliseconds that a statement of a write may take: less than `QUERY_TIMEOUT`, so that the server itself gives up. One
 * that nobody waits for any more would go on there, hold its rows, and have each later try wait behind it.
 */
const WRITE_TIMEOUT = 25_000;

/** OIDs of int8 and numeric, which pg gives as text: every number in these tables fits into a double. */
const LONG_NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

/**
 * The dialect of the database at `url` (`postgres://…`).
 * @param onTrouble told when an idle connection breaks.
 * @param timeout milliseconds that a statement may take.
 */
export function postgresDialect(
  url: string,
  onTrouble: (reason: string) => void,
  timeout = QUERY_TIMEOUT,
): Dialect {
  const dialect = new PostgresDialect({ pool: () => openPool(url, onTrouble, timeout) });
  return {
    createAdapter: () => new PoolableAdapter(),
    createDriver: () => dialect.createDriver(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

/** Kysely's own lock is the connection's, and its transaction begins behind it: `inOneMigration` has both. */
class PoolableAdapter extends PostgresAdapter {
  override get supportsTransactionalDdl(): boolean {
    return false;
  }

  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

/**
 * Runs `migrate` in one transaction, by a lock that ends with it: where a pooler lends connections by the transaction, a
 * lock of the connection's is taken on one and let go on another, so two processes have it at once, or it is held for
 * good and the next start waits for it in vain.
 * @throws what `migrate` does; then all of it is undone, also what the server does later than it was waited for.
 */
export function inOneMigration<T, R>(db: Kysely<T>, migrate: (db: Kysely<T>) => Promise<R>): Promise<R> {
  return db.connection().execute(async (connection) => {
    await sql`begin`.execute(connection);
    try {
      // A backup that is being made holds its tables for as long as it takes: who waits for them holds up all others.
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(connection);
      await sql`select pg_advisory_xact_lock(hashtext('gateway_migrations'))`.execute(connection);
      const result = await migrate(connection);
      await sql`commit`.execute(connection);
      return result;
    } catch (error) {
      await sql`rollback`.execute(connection).catch(() => undefined);
      throw error;
    }
  });
}

/** Bounds how long a transaction's statements wait and take, where the server's own settings do not. */
export async function boundWaits<T>(transaction: Kysely<T>): Promise<void> {
  await sql`
    select set_config(name, milliseconds, true)
    from (values ('lock_timeout', ${sql.lit(`${LOCK_TIMEOUT}`)}), ('statement_timeout', ${sql.lit(`${WRITE_TIMEOUT}`)}))
      as bounds (name, milliseconds)
    where current_setting(name) = '0'`.execute(transaction);
}

/** Most stores are SQLite's: what speaks to PostgreSQL is loaded only where it is. */
async function openPool(
  url: string,
  onTrouble: (reason: string) => void,
  timeout: number,
): Promise<PostgresPool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: verifying(url),
    max: CONNECTIONS,
    application_name: 'gateway',
    connectionTimeoutMillis: 5_000,
    // A server that went away without a word must not hold a write, or the end of the process, for ever.
    query_timeout: timeout,
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
  return {
    options: pool.options,
    connect: async () => leavingSilence(await pool.connect()),
    end: () => pool.end(),
  };
}

/** What pg says of a statement that was not answered in time (`query_timeout`); its error has no code. */
const UNANSWERED = 'Query read timeout';

/**
 * A connection that is closed, and not lent again, once a statement on it was not answered in time. After a failover it
 * may lead to nobody, who never says so: pg would have all that comes later wait behind that statement, on this
 * connection and for ever, while a new one leads to the server that there is.
 */
function leavingSilence(client: PostgresPoolClient): PostgresPoolClient {
  let silence: Error | undefined;
  function query<R>(statement: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query<R>(asked: string | PostgresCursor<R>, parameters: readonly unknown[] = []) {
    if (typeof asked !== 'string') return client.query(asked);
    // As a rollback: what is closed is rolled back.
    if (silence !== undefined) return Promise.reject(silence);
    return client.query<R>(asked, parameters).catch((error: unknown) => {
      if (error instanceof Error && error.message === UNANSWERED) silence = error;
      throw error;
    });
  }
  return { query, release: (destroy) => client.release(destroy || silence !== undefined) };
}

/**
 * The address with the mode of TLS that pg takes `prefer`, `require` and `verify-ca` for, which it warns of in eight
 * lines, in every thread (pg-connection-string 2). In libpq they verify less, as `uselibpqcompat=true` has it here too.
 */
function verifying(url: string): string {
  if (url.includes('uselibpqcompat=true')) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}
