/**
 * The thread that has the SQLite file open. node:sqlite is synchronous, and a commit waits for the disk: on the main
 * thread every live stream would wait with it.
 */

import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
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
}

if (parentPort !== null) {
  const port = parentPort;
  const { file }: WorkerData = workerData;
  const database = open(file);
  port.on('message', (statement: Statement | 'close') => {
    if (statement !== 'close') {
      port.postMessage(answer(database, statement));
      return;
    }
    database.close();
    port.close();
  });
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  // Other processes write too: the gateway's workers, its commands. Their turns are short.
  database.exec('pragma busy_timeout = 5000');
  database.exec('pragma journal_mode = wal');
  // What is committed outlives a power cut, not only a crash. It costs this thread an fsync a commit, and nobody else.
  database.exec('pragma synchronous = full');
  return database;
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
    if (!(error instanceof Error)) return { failure: String(error), code: undefined };
    const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
    return { failure: error.message, code };
  }
}
