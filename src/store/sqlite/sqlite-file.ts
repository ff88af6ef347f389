/**
 * An open SQLite file, for the thread that opens it. node:sqlite is synchronous, and a commit waits for the disk. The
 * thread does other things while another process has locked the file, and between the rows of a statement if it is to.
 */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

/** A statement that runs once with its parameters, or once with the values of each row, in a transaction. */
export type Statement =
  | { readonly sql: string; readonly parameters: readonly SQLInputValue[] }
  | { readonly sql: string; readonly rows: readonly SQLInputValue[][] };

export type Outcome<R> = { readonly rows: R[]; readonly changes?: number | bigint } | Failure;

interface Failure {
  readonly failure: string;
  readonly code: number | undefined;
}

/** Which file is opened, and how. */
export interface FileOptions {
  readonly file: string;
  /** Then nothing in the file is changed, not even its journal mode. */
  readonly readOnly: boolean;
  /** For how many milliseconds a statement is tried again while another process has locked the file. */
  readonly busyTimeout: number;
  /** So many rows of a statement are written at once, and then the thread rests for a millisecond. Absent: all. */
  readonly rowsAtOnce?: number;
}

export interface SqliteFile {
  /**
   * Runs a statement to its end. The next one may come after it.
   * @typeParam R the rows, as the statement says
   * @throws Error if the thread that has the file open has ended
   */
  run<R>(statement: Statement): Promise<Outcome<R>>;
  /** Whether it can still be asked. */
  isOpen(): boolean;
  close(): Promise<void>;
}

/** Opens a file, in this thread or in another one. @throws Error of node:sqlite */
export type OpenSqlite = (options: FileOptions) => Promise<SqliteFile>;

/** The pause between two attempts, in milliseconds. */
const BUSY_PAUSE = 10;

/** How long a thread rests between rows, in milliseconds: the least that a timer takes. */
const REST = 1;

const PRAGMA = /^\s*pragma\b/i;

/** SQLITE_BUSY. Its extended codes (https://sqlite.org/rescode.html) have it as their lowest byte. */
const BUSY = 5;

/** Opens a file in this thread. @throws Error of node:sqlite */
export const openSqliteFile: OpenSqlite = async ({
  file,
  readOnly,
  busyTimeout,
  rowsAtOnce = Number.POSITIVE_INFINITY,
}) => {
  // Node 22 warns in two lines, at every command, that node:sqlite may change.
  process.removeAllListeners('warning');
  const sqlite = await import('node:sqlite');
  const database = new sqlite.DatabaseSync(file, { readOnly });
  // SQLite would block the thread while it waits.
  database.exec('pragma busy_timeout = 0');
  if (!readOnly) {
    await writeAhead(database, performance.now() + busyTimeout);
    // Committed data survives a power cut, not only a crash. It costs this thread an fsync for each commit, and no
    // other thread anything.
    database.exec('pragma synchronous = full');
  }
  return {
    async run<R>(statement: Statement) {
      const deadline = performance.now() + busyTimeout;
      for (;;) {
        const outcome = await run<R>(database, statement, rowsAtOnce);
        const isBusy = 'failure' in outcome && isBusyCode(outcome.code);
        if (!isBusy || performance.now() > deadline) return outcome;
        await pause(BUSY_PAUSE);
      }
    },
    isOpen: () => database.isOpen,
    close: async () => database.close(),
  };
};

/**
 * Sets the journal mode of a new file to WAL. SQLite does not wait if another process is about to set it: of two
 * processes that open the file at once, each would wait for the other to have read it.
 */
async function writeAhead(database: DatabaseSync, deadline: number): Promise<void> {
  for (;;) {
    try {
      // `auto_vacuum` writes to a file whenever it is set. On a full disk, or while another process writes, nobody could
      // open the file to read it.
      if (database.prepare('pragma journal_mode').get()?.['journal_mode'] === 'wal') return;
      // Only a new file takes this one: it gives space back when rows are deleted (`free-space.ts`).
      database.exec('pragma auto_vacuum = incremental');
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusyCode(getCode(error)) || performance.now() > deadline) throw error;
      await pause(BUSY_PAUSE);
    }
  }
}

async function run<R>(database: DatabaseSync, asked: Statement, rowsAtOnce: number): Promise<Outcome<R>> {
  try {
    const statement = database.prepare(asked.sql);
    if ('rows' in asked) {
      let changes = 0;
      for (const [at, values] of asked.rows.entries()) {
        if (at > 0 && at % rowsAtOnce === 0) await pause(REST);
        changes += Number(statement.run(...values).changes);
      }
      return { rows: [], changes };
    }
    const { parameters } = asked;
    // A pragma may have rows without columns, and does a part of its work for each of them.
    if (statement.columns().length > 0 || PRAGMA.test(asked.sql))
      // The statement's author says what its rows are, as for every database.
      return { rows: statement.all(...parameters) as R[] };
    return { rows: [], changes: statement.run(...parameters).changes };
  } catch (error) {
    return toFailure(error);
  }
}

/** An error of SQLite, as it can be sent to another thread. */
export function toFailure(error: unknown): Failure {
  return { failure: error instanceof Error ? error.message : String(error), code: getCode(error) };
}

/** The error that a failure was made of, with its code in `errcode`. */
export function toError({ failure, code }: Failure): Error {
  return Object.assign(new Error(failure), { errcode: code });
}

function isBusyCode(code: number | undefined): boolean {
  return code !== undefined && (code & 0xff) === BUSY;
}

/** The code of an error from SQLite. */
function getCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined;
}
