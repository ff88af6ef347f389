/** SQLite as a dialect for Kysely. */

import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { WorkerThread } from '../threads/worker-thread.ts';
import { makeFolder } from './make-folder.ts';
import { type OpenSqlite, type SqliteFile, type Statement, toError } from './sqlite-file.ts';
import { openInThread } from './sqlite-thread.ts';

/** How a store's file is opened. */
export interface SqliteOptions {
  /** Whether the file is only read, and not created. */
  readonly readOnly?: boolean;
  /** Whether the file is created if there is none. Absent: that is an error. */
  readonly create?: boolean;
  /**
   * Opens the file, as a rule in a thread of its own, because a statement blocks its thread. A thread that may be blocked
   * for a moment opens it itself (`openSqliteFile`).
   */
  readonly open?: OpenSqlite;
  /**
   * Milliseconds after the last statement at which the file is closed, until the next one. Its thread ends with it. Absent:
   * it stays open.
   */
  readonly idle?: number;
  /** For how many milliseconds a statement is tried again while another process has locked the file. */
  readonly busyTimeout?: number;
}

/** The gateway's workers and its commands write to the same file. Each has it locked for a short time. */
const BUSY_TIMEOUT = 5_000;

/** The dialect of the database in `file`. */
export function sqliteDialect(file: string, options: SqliteOptions = {}): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => sqliteDriver(file, options),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/**
 * SQLite can roll back CREATE TABLE like any other statement, so two processes that start at once can migrate one after
 * the other.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function sqliteDriver(
  file: string,
  {
    readOnly = false,
    create = false,
    open = openInThread(new WorkerThread()),
    idle,
    busyTimeout = BUSY_TIMEOUT,
  }: SqliteOptions,
): Driver {
  let opened: SqliteFile | undefined;
  let isDestroyed = false;
  let idleTimer: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;

  /** The open file. If the thread that had it open has ended, another one opens it. */
  const current = async (): Promise<SqliteFile> => {
    if (isDestroyed) throw new Error('The database is closed.');
    if (!opened?.isOpen()) {
      // SQLite would create a file that is gone, and the new one would have no tables.
      accessSync(file, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK);
      opened = await open({ file, readOnly, busyTimeout });
    }
    return opened;
  };

  const run = async (connection: DatabaseConnection, statement: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(statement));
  };

  return {
    async init() {
      if (create) makePrivate(file);
      await current();
    },
    // Kysely has one user after the other (`supportsMultipleConnections`). It keeps its lock if this throws, so a file
    // that must be opened again is opened with the first statement.
    async acquireConnection() {
      clearTimeout(idleTimer);
      return connectTo(current);
    },
    async releaseConnection() {
      if (idle === undefined || isDestroyed) return;
      idleTimer = setTimeout(() => {
        closing = opened?.close();
        opened = undefined;
      }, idle).unref();
    },
    // Immediate: a transaction that first reads and then writes would fail if another process wrote in between.
    beginTransaction: (connection, { accessMode }) =>
      run(connection, accessMode === 'read only' ? 'begin' : 'begin immediate'),
    commitTransaction: (connection) => run(connection, 'commit'),
    // If the disk is full, SQLite has rolled back by itself and the second rollback fails. That does no harm (SQLite
    // documentation, "Response To Errors Within A Transaction"), and the first failure is the one to report.
    rollbackTransaction: (connection) =>
      run(connection, 'rollback').catch((error: unknown) => {
        if (!String(error).includes('no transaction is active')) throw error;
      }),
    async destroy() {
      isDestroyed = true;
      clearTimeout(idleTimer);
      await closing;
      await opened?.close();
    },
  };
}

/**
 * Creates a file if there is none, private to its owner; SQLite gives the files beside it the same permissions. An
 * existing file is not opened: closing a file releases all locks that the process has on it, including those of other
 * threads (SQLite's "How To Corrupt An SQLite Database File", 2.2). Another process would then believe that it is the
 * last one and remove the write-ahead log, and whatever this process writes from then on would be lost.
 */
function makePrivate(file: string): void {
  makeFolder(dirname(file), 0o700);
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

function connectTo(current: () => Promise<SqliteFile>): DatabaseConnection {
  // The same from the first statement to the last: what comes after a transaction's thread has ended must fail.
  let file: SqliteFile | undefined;
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      file ??= await current();
      const outcome = await file.run<R>(toStatement(sql, parameters));
      if ('failure' in outcome) throw toError(outcome);
      const { rows, changes } = outcome;
      return { rows, ...(changes !== undefined && { numAffectedRows: BigInt(changes) }) };
    },
    // biome-ignore lint/correctness/useYield: nothing here reads a result piece by piece.
    async *streamQuery() {
      throw new Error('Results are not streamed.');
    },
  };
}

class Rows {
  readonly values: readonly SQLInputValue[][];

  constructor(values: readonly SQLInputValue[][]) {
    this.values = values;
  }
}

/**
 * A statement that runs once for each row, with its values in the order of the placeholders.
 * @throws TypeError if node:sqlite does not take a value.
 */
export function forEachRow(sql: string, columns: readonly string[], rows: readonly object[]): CompiledQuery {
  const values = rows.map((row) => {
    const fields: Readonly<Record<string, unknown>> = { ...row };
    return columns.map((column) => asInput(fields[column]));
  });
  return CompiledQuery.raw(sql, [new Rows(values)]);
}

function toStatement(sql: string, parameters: readonly unknown[]): Statement {
  const [rows] = parameters;
  return rows instanceof Rows ? { sql, rows: rows.values } : { sql, parameters: parameters.map(asInput) };
}

/** @throws TypeError if node:sqlite does not take the value. */
function asInput(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value;
  }
  throw new TypeError(`SQLite does not take a value of type ${typeof value}.`);
}
