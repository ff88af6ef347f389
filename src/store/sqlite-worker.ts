/**
 * The thread that has the SQLite file open. node:sqlite is synchronous, and a commit waits for the disk: on the main
 * thread every live stream would wait with it.
 */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** What it is asked: a statement, once with its parameters, or for each of the rows of a JSON list with its values. */
export type Statement =
  | { readonly sql: string; readonly parameters: readonly SQLInputValue[] }
  | { readonly sql: string; readonly rows: string };

/** What it answers. */
export type Outcome<R> =
  | { readonly rows: R[]; readonly changes?: number | bigint }
  | { readonly failure: string; readonly code: number | undefined };

/** How it is started. */
export interface WorkerData {
  readonly file: string;
  /** Then nothing of the file is changed, not even how it is written. */
  readonly readOnly: boolean;
}

/** For how long others are waited for, and the pause where SQLite does not wait itself, in milliseconds. */
const PATIENCE = 5_000;
const PAUSE = 10;

/** SQLITE_BUSY. */
const BUSY = 5;

if (parentPort !== null) {
  const port = parentPort;
  const { file, readOnly }: WorkerData = workerData;
  // Node 22 warns that node:sqlite may change, in two lines at every command.
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
  // Other processes write too: the gateway's workers, its commands. Their turns are short.
  database.exec(`pragma busy_timeout = ${PATIENCE}`);
  if (readOnly) return database;
  writeAhead(database, performance.now() + PATIENCE);
  // What is committed outlives a power cut, not only a crash. It costs this thread an fsync a commit, and nobody else.
  database.exec('pragma synchronous = full');
  return database;
}

/**
 * Has a new file written ahead. SQLite does not wait where another process is about to write it: of two that open it at
 * once, each would wait for the other to have read it.
 */
function writeAhead(database: DatabaseSync, deadline: number): void {
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (codeOf(error) !== BUSY || performance.now() > deadline) throw error;
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
    if (statement.columns().length > 0) return { rows: statement.all(...parameters) };
    return { rows: [], changes: statement.run(...parameters).changes };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error), code: codeOf(error) };
  }
}

/** SQLite's code of an error that it gave. */
function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined;
}
