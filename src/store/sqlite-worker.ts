/**
 * The thread that has the SQLite file open. node:sqlite is synchronous and a commit waits for the disk, so on the main
 * thread every live stream would wait too.
 */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** A request to the thread: a statement that runs once with its parameters, or once for each row of a JSON array. */
export type Statement =
  | { readonly sql: string; readonly parameters: readonly SQLInputValue[] }
  | { readonly sql: string; readonly rows: string };

/** The thread's answer. */
export type Outcome<R> =
  | { readonly rows: R[]; readonly changes?: number | bigint }
  | { readonly failure: string; readonly code: number | undefined };

/** How the thread is started. */
export interface WorkerData {
  readonly file: string;
  /** Then nothing in the file is changed, not even its journal mode. */
  readonly readOnly: boolean;
}

/**
 * How long to wait for other processes, and the pause between attempts where SQLite does not wait itself, in
 * milliseconds.
 */
const BUSY_TIMEOUT = 5_000;
const PAUSE = 10;

const PRAGMA = /^\s*pragma\b/i;

/** SQLITE_BUSY. */
const BUSY = 5;

if (parentPort !== null) {
  const port = parentPort;
  const { file, readOnly }: WorkerData = workerData;
  // Node 22 warns in two lines, at every command, that node:sqlite may change.
  process.removeAllListeners('warning');
  const sqlite = await import('node:sqlite');
  const database = open(new sqlite.DatabaseSync(file, { readOnly }), readOnly);
  port.on('message', (statement: Statement | 'close') => {
    if (statement !== 'close') {
      port.postMessage(answer(database, statement));
      return;
    }
    database.close();
    port.close();
  });
}

function open(database: DatabaseSync, readOnly: boolean): DatabaseSync {
  // Other processes write too: the gateway's workers and its commands. Each takes a short time.
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT}`);
  if (readOnly) return database;
  writeAhead(database, performance.now() + BUSY_TIMEOUT);
  // Committed data survives a power cut, not only a crash. It costs this thread an fsync for each commit, and no other
  // thread anything.
  database.exec('pragma synchronous = full');
  return database;
}

/**
 * Sets the journal mode of a new file to WAL. SQLite does not wait if another process is about to set it: of two
 * processes that open the file at once, each would wait for the other to have read it.
 */
function writeAhead(database: DatabaseSync, deadline: number): void {
  for (;;) {
    try {
      // Only a new file takes this one: it gives space back when rows are deleted (`free-space.ts`).
      database.exec('pragma auto_vacuum = incremental');
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (getCode(error) !== BUSY || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    }
  }
}

function answer(database: DatabaseSync, asked: Statement): Outcome<unknown> {
  try {
    const statement = database.prepare(asked.sql);
    if ('rows' in asked) {
      let changes = 0;
      const rows: readonly Record<string, SQLInputValue>[] = JSON.parse(asked.rows);
      for (const row of rows) changes += Number(statement.run(...Object.values(row)).changes);
      return { rows: [], changes };
    }
    const { parameters } = asked;
    // A pragma may have rows without columns, and does a part of its work for each of them.
    if (statement.columns().length > 0 || PRAGMA.test(asked.sql))
      return { rows: statement.all(...parameters) };
    return { rows: [], changes: statement.run(...parameters).changes };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error), code: getCode(error) };
  }
}

/** The code of an error from SQLite. */
function getCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined;
}
