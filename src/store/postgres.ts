/** PostgreSQL as a dialect for Kysely. */

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
import { errorCode } from '../lib/error-code.ts';
import { isAway, READ_ONLY } from './store-errors.ts';

/** Connections of one process. Few suffice: writes come in batches, and reads are rare. */
const CONNECTIONS = 4;

/**
 * Milliseconds that a statement may take, and that a migration or a write waits for a lock on a table or a row before
 * PostgreSQL gives up.
 */
const QUERY_TIMEOUT = 30_000;
const LOCK_TIMEOUT = 20_000;

/**
 * Milliseconds that a statement of a migration may take, and that a process waits while another one migrates. An index or
 * a sum over all rows of a large store takes minutes. A start that gave up would begin again with the next one, for ever.
 */
export const MIGRATION_TIMEOUT = 3_600_000;

/**
 * Milliseconds that a statement of a write may take. It is less than `QUERY_TIMEOUT`, so that the server itself gives
 * up. Otherwise the statement would go on at the server and hold its rows, and each retry would wait behind it.
 */
const WRITE_TIMEOUT = 25_000;

/** OIDs of int8 and numeric. pg returns them as text, but every number in these tables fits into a double. */
const LONG_NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

/**
 * The dialect of a database.
 * @param address its address (`postgres://…`), or a function that returns it for each new connection.
 * @param timeout milliseconds that a statement may take.
 */
export function postgresDialect(address: string | (() => string), timeout = QUERY_TIMEOUT): Dialect {
  const dialect = new PostgresDialect({
    pool: () => openPool(typeof address === 'string' ? () => address : address, timeout),
  });
  return {
    createAdapter: () => new PoolableAdapter(),
    createDriver: () => dialect.createDriver(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

/**
 * Without Kysely's own lock, which belongs to the connection and is taken before the transaction: `inOneMigration` does
 * both.
 */
class PoolableAdapter extends PostgresAdapter {
  override get supportsTransactionalDdl(): boolean {
    return false;
  }

  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

/**
 * Runs `migrate` in one transaction, under a lock that ends with it. A pooler may lend connections for one transaction
 * only. A lock of the connection would then be taken on one connection and released on another: two processes would
 * have it at once, or it would be held for good and the next start would wait for it in vain.
 * @throws what `migrate` throws. Everything is undone then, including what the server does after the client stopped
 * waiting.
 */
export function inOneMigration<T, R>(db: Kysely<T>, migrate: (db: Kysely<T>) => Promise<R>): Promise<R> {
  return db.connection().execute(async (connection) => {
    await sql`begin`.execute(connection);
    try {
      // Databases often have bounds of their own that are meant for short statements.
      await sql`set local statement_timeout = ${sql.lit(MIGRATION_TIMEOUT)}`.execute(connection);
      await sql`set local lock_timeout = 0`.execute(connection);
      await sql`select pg_advisory_xact_lock(hashtext('gateway_migrations'))`.execute(connection);
      // A running backup locks its tables for as long as it takes, and whoever waits for them blocks everybody else.
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(connection);
      const result = await migrate(connection);
      await sql`commit`.execute(connection);
      return result;
    } catch (error) {
      await sql`rollback`.execute(connection).catch(() => undefined);
      throw error;
    }
  });
}

/** Bounds how long the statements of a transaction wait and run, unless the server's own settings do. */
export async function boundWaits<T>(transaction: Kysely<T>): Promise<void> {
  await sql`
    select set_config(name, milliseconds, true)
    from (values ('lock_timeout', ${sql.lit(`${LOCK_TIMEOUT}`)}), ('statement_timeout', ${sql.lit(`${WRITE_TIMEOUT}`)}))
      as bounds (name, milliseconds)
    where current_setting(name) = '0'`.execute(transaction);
}

/** Most stores are SQLite, so the driver of PostgreSQL is loaded only when it is needed. */
async function openPool(address: () => string, timeout: number): Promise<PostgresPool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: verifying(address()),
    max: CONNECTIONS,
    application_name: 'gateway',
    connectionTimeoutMillis: 5_000,
    // A server that vanished silently must not block a write, or the end of the process, for ever.
    query_timeout: timeout,
    keepAlive: true,
    types: {
      getTypeParser(oid: number, format?: 'text' | 'binary') {
        return LONG_NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format);
      },
    },
  });
  // Without a listener, an error of the database server would end this process. The pool listens on idle connections. A
  // connection in use may break between two statements; the next statement reports that.
  const breaks = new WeakMap<object, Error>();
  pool.on('connect', (client) =>
    client.once('error', (error) => breaks.set(client, error)).on('error', () => {}),
  );
  // That of an idle connection is no trouble: the next query makes another one. If it cannot, whoever asked reports that.
  pool.on('error', () => {});
  return {
    options: pool.options,
    async connect() {
      // The pool makes each connection by its options as they are then.
      pool.options.connectionString = verifying(address());
      const client = await pool.connect();
      return leavingUseless(client, () => breaks.get(client));
    },
    end: () => pool.end(),
  };
}

/** What pg says to a statement on a connection that has broken since the one before. */
const BROKEN = 'Client has encountered a connection error and is not queryable';

/** PostgreSQL's code for a statement of a transaction that has failed already (in_failed_sql_transaction). */
const ALREADY_FAILED = '25P02';

/**
 * A connection that is closed and not reused after the server has ended it, or after it has led to the wrong server, as it
 * may after a failover. A new one leads to the new primary.
 *
 * - To a server that is gone, without an error: a statement was not answered in time. pg would make all later statements
 *   wait behind that one, on this connection and for ever.
 * - To the former primary, which now is a replica and refuses to write. The name of a cluster leads there until it is
 *   resolved again.
 * @param findBreak returns why it has broken between two statements, as the server said.
 */
function leavingUseless(client: PostgresPoolClient, findBreak: () => unknown): PostgresPoolClient {
  /** Why it answers nothing any more. */
  let gone: unknown;
  let failure: unknown;
  let isReadOnly = false;
  function query<R>(statement: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query<R>(asked: string | PostgresCursor<R>, parameters: readonly unknown[] = []) {
    if (typeof asked !== 'string') return client.query(asked);
    // This fails a rollback too, whose error Kysely would report instead: closing the connection rolls back.
    if (gone !== undefined) return Promise.reject(gone);
    return client.query<R>(asked, parameters).catch((error: unknown) => {
      // Kysely's migrator asks once more when it cannot create its tables. Only the first failure says why.
      failure = errorCode(error) === ALREADY_FAILED ? (failure ?? error) : error;
      if (error instanceof Error && error.message === BROKEN) failure = findBreak() ?? error;
      if (isAway(failure)) gone = failure;
      if (errorCode(error) === READ_ONLY) isReadOnly = true;
      throw failure;
    });
  }
  return { query, release: (destroy) => client.release(destroy || isReadOnly || gone !== undefined) };
}

/** Whether two addresses differ in their user and password at most. */
export function isSameDatabase(one: string, other: string): boolean {
  return withoutUser(one) === withoutUser(other);
}

function withoutUser(url: string): string {
  const address = new URL(url);
  address.username = '';
  address.password = '';
  return address.href;
}

/**
 * The address with the TLS mode that pg uses for `prefer`, `require` and `verify-ca` anyway. pg warns about them in
 * eight lines, in every thread (pg-connection-string 2). In libpq they verify less, as they do here with
 * `uselibpqcompat=true`.
 */
function verifying(url: string): string {
  if (url.includes('uselibpqcompat=true')) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}
