/** SQLite for Kysely: one file, opened by a thread of its own (`sqlite-worker.ts`). */

import { once } from 'node:events';
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
import { makeFolder } from './make-folder.ts';
import type { Outcome, Statement, WorkerData } from './sqlite-worker.ts';
import { startWorkerThread } from './worker-thread.ts';

/**
 * The dialect of the database in `file`, which is made where there is none; only its owner can read it.
 * @param readOnly whether it is only read, and never made.
 */
export function sqliteDialect(file: string, readOnly = false): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => sqliteDriver(file, readOnly),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** SQLite undoes CREATE TABLE like anything else, so two processes that start at once can migrate in turn. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

interface Thread extends DatabaseConnection {
  close(): Promise<void>;
}

function sqliteDriver(file: string, readOnly: boolean): Driver {
  let thread: Thread | undefined;
  /** Whoever holds the one connection, and behind it whoever waits: each is the end of the one before. */
  let last = Promise.resolve();
  const releases = new WeakMap<DatabaseConnection, () => void>();

  const run = async (connection: DatabaseConnection, statement: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(statement));
  };

  return {
    async init() {
      if (readOnly) accessSync(file, constants.R_OK);
      else makePrivate(file);
      thread = startThread({ file, readOnly });
    },
    async acquireConnection() {
      if (thread === undefined) throw new Error('The database is not open.');
      const connection: DatabaseConnection = {
        executeQuery: thread.executeQuery,
        streamQuery: thread.streamQuery,
      };
      const before = last;
      last = new Promise((resolve) => releases.set(connection, resolve));
      await before;
      return connection;
    },
    releaseConnection(connection) {
      releases.get(connection)?.();
      return Promise.resolve();
    },
    // Immediate: one that first reads and then writes would fail where another process wrote in between.
    beginTransaction: (connection, { accessMode }) =>
      run(connection, accessMode === 'read only' ? 'begin' : 'begin immediate'),
    commitTransaction: (connection) => run(connection, 'commit'),
    // Where the disk is full SQLite has rolled back by itself, and the second time fails, which does no harm (its
    // documentation, "Response To Errors Within A Transaction"): the first failure is the one to be told.
    rollbackTransaction: (connection) =>
      run(connection, 'rollback').catch((error: unknown) => {
        if (!String(error).includes('no transaction is active')) throw error;
      }),
    async destroy() {
      await thread?.close();
    },
  };
}

/**
 * A new file, and what SQLite lays beside it with the same rights, is for its owner alone. One that is there is looked
 * at, but not opened: whoever closes a file lets go of all locks that his process has on it, those of other threads too
 * (SQLite's "How To Corrupt An SQLite Database File", 2.2). Another process then takes itself for the last one, and
 * removes the log that is written ahead: what this one writes is lost from then on.
 */
function makePrivate(file: string): void {
  makeFolder(dirname(file), 0o700);
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  else closeSync(openSync(file, 'a', 0o600));
}

function startThread(data: WorkerData): Thread {
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
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      gone.signal.throwIfAborted();
      const statement = statementOf(sql, parameters);
      // One statement is under way at a time, so the next message is its answer.
      const answered = once(worker, 'message', { signal: gone.signal });
      worker.postMessage(statement);
      const [outcome]: Outcome<R>[] = await answered.catch(() => Promise.reject(gone.signal.reason));
      if (outcome === undefined || 'failure' in outcome) {
        throw Object.assign(new Error(outcome?.failure), { errcode: outcome?.code });
      }
      const { rows, changes } = outcome;
      return { rows, ...(changes !== undefined && { numAffectedRows: BigInt(changes) }) };
    },
    // biome-ignore lint/correctness/useYield: nothing here reads a result piece by piece.
    async *streamQuery() {
      throw new Error('Results are not streamed.');
    },
    async close() {
      if (!gone.signal.aborted) worker.postMessage('close');
      await exited;
    },
  };
}

class Rows {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/**
 * A statement that runs once for each of the objects in a JSON list, their values in the order of its placeholders. The
 * list goes to the thread as it is: to take apart 500 rows of 25 values for it takes the main thread ten times as long,
 * and SQLite's own JSON functions take three to six times as long as the thread's JSON.parse (measured).
 */
export function forEachRow(sql: string, json: string): CompiledQuery {
  return CompiledQuery.raw(sql, [new Rows(json)]);
}

function statementOf(sql: string, parameters: readonly unknown[]): Statement {
  const [rows] = parameters;
  return rows instanceof Rows ? { sql, rows: rows.json } : { sql, parameters: parameters.map(asInput) };
}

/** What node:sqlite takes as a value. */
function asInput(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value;
  }
  throw new TypeError(`SQLite takes no ${typeof value}.`);
}
