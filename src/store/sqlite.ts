/** SQLite as a dialect for Kysely. */

import { once } from 'node:events';
import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
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
import { makeFolder } from './make-folder.ts';
import {
  BUSY_PAUSE,
  BUSY_TIMEOUT,
  type FileOptions,
  isBusy,
  type Outcome,
  openSqliteFile,
  type Statement,
} from './sqlite-file.ts';
import { startWorkerThread } from './worker-thread.ts';

/** How a store's file is opened. */
export interface SqliteOptions {
  /** Whether the file is only read, and not created. */
  readonly readOnly?: boolean;
  /**
   * Which thread has the file open: as a rule one of its own (`sqlite-worker.ts`), because a statement blocks its thread.
   * A thread that may be blocked for a moment opens it itself.
   */
  readonly thread?: 'own' | 'this';
}

/** The dialect of the database in `file`. The file is created if it does not exist, readable only by its owner. */
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

/** A file that is open. */
interface OpenFile {
  /** Runs a statement. @throws Error if its thread has ended. */
  run<R>(statement: Statement): Promise<Outcome<R>>;
  close(): Promise<void>;
}

function sqliteDriver(file: string, { readOnly = false, thread = 'own' }: SqliteOptions): Driver {
  let open: OpenFile | undefined;
  /** The end of the queue for the one connection: each entry resolves when its user releases the connection. */
  let last = Promise.resolve();
  const releases = new WeakMap<DatabaseConnection, () => void>();

  const run = async (connection: DatabaseConnection, statement: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(statement));
  };

  return {
    async init() {
      if (readOnly) accessSync(file, constants.R_OK);
      else makePrivate(file);
      open = thread === 'own' ? openInThread(file, readOnly) : await openHere(file, readOnly);
    },
    async acquireConnection() {
      if (open === undefined) throw new Error('The database is not open.');
      const connection = connectTo(open);
      const before = last;
      last = new Promise((resolve) => releases.set(connection, resolve));
      await before;
      return connection;
    },
    releaseConnection(connection) {
      releases.get(connection)?.();
      return Promise.resolve();
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
      await open?.close();
    },
  };
}

/**
 * Makes a new file private to its owner; SQLite gives the files beside it the same permissions. An existing file is
 * checked, but not opened: closing a file releases all locks that the process has on it, including those of other
 * threads (SQLite's "How To Corrupt An SQLite Database File", 2.2). Another process would then believe that it is the
 * last one and remove the write-ahead log, and whatever this process writes from then on would be lost.
 */
function makePrivate(file: string): void {
  makeFolder(dirname(file), 0o700);
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  else closeSync(openSync(file, 'a', 0o600));
}

function connectTo(open: OpenFile): DatabaseConnection {
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const outcome = await open.run<R>(toStatement(sql, parameters));
      if ('failure' in outcome) throw Object.assign(new Error(outcome.failure), { errcode: outcome.code });
      const { rows, changes } = outcome;
      return { rows, ...(changes !== undefined && { numAffectedRows: BigInt(changes) }) };
    },
    // biome-ignore lint/correctness/useYield: nothing here reads a result piece by piece.
    async *streamQuery() {
      throw new Error('Results are not streamed.');
    },
  };
}

function openInThread(file: string, readOnly: boolean): OpenFile {
  const data: FileOptions = { file, readOnly, busyTimeout: BUSY_TIMEOUT };
  const worker = startWorkerThread(import.meta.url, 'sqlite-worker', data);
  const gone = new AbortController();
  worker.once('error', (error) => gone.abort(error));
  const exited = new Promise<void>((resolve) =>
    worker.once('exit', () => {
      gone.abort(new Error('The database is closed.'));
      resolve();
    }),
  );

  return {
    async run<R>(statement: Statement) {
      gone.signal.throwIfAborted();
      // Only one statement runs at a time, so the next message is its answer.
      const answered = once(worker, 'message', { signal: gone.signal });
      worker.postMessage(statement);
      const [outcome]: Outcome<R>[] = await answered.catch(() => Promise.reject(gone.signal.reason));
      return outcome ?? { failure: 'The thread of the database gave no answer.', code: undefined };
    },
    async close() {
      if (!gone.signal.aborted) worker.postMessage('close');
      await exited;
    },
  };
}

/** Opens the file in this thread. While another process has locked it, the thread does other things. */
async function openHere(path: string, readOnly: boolean): Promise<OpenFile> {
  const file = await openSqliteFile({ file: path, readOnly, busyTimeout: 0 });
  return {
    async run<R>(statement: Statement) {
      const deadline = performance.now() + BUSY_TIMEOUT;
      for (;;) {
        const outcome = file.run<R>(statement);
        if (!isBusy(outcome) || performance.now() > deadline) return outcome;
        await pause(BUSY_PAUSE);
      }
    },
    close: async () => file.close(),
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
