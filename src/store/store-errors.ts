/** What the errors of either database mean: whether a write may be tried again, and what to tell people. */

import { errorCode } from '../lib/error-code.ts';
import { wordSet } from '../lib/words.ts';

/** Where the store is: in PostgreSQL at `url`, or else in the SQLite file `path`. */
export interface StorePlace {
  readonly path: string;
  readonly url?: string;
}

/** A store that cannot be used. The message says why. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code = 'STORE';
}

/**
 * SQLite's BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL and CANTOPEN (SQLite documentation, "Result and Error Codes").
 */
const SQLITE_SHORT: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14]);

/** PostgreSQL's code for a write where only reading is allowed (read_only_sql_transaction). */
export const READ_ONLY = '25006';

/**
 * PostgreSQL's classes 40, 53, 55, 57 and 58, and 25006, a read-only transaction (PostgreSQL documentation, appendix
 * A).
 */
const POSTGRES_SHORT = /^(?:(?:40|5[3578])...|25006)$/;

/** Whether a write failed because the store lacks something, usually space or a lock, and not because of the data. */
export function isShort(error: unknown): boolean {
  return isAmong(error, SQLITE_SHORT, POSTGRES_SHORT);
}

function isAmong(error: unknown, inSqlite: ReadonlySet<number>, inPostgres: RegExp): boolean {
  if (!(error instanceof Error)) return false;
  // The lowest byte of an extended code is the primary code.
  if ('errcode' in error && typeof error.errcode === 'number') return inSqlite.has(error.errcode & 0xff);
  return inPostgres.test(errorCode(error) ?? '');
}

/** PostgreSQL's code for a statement that takes longer than its settings allow, or that somebody stops (query_canceled). */
export const CANCELED = '57014';

/**
 * Node's codes for a server that cannot be reached, and those of PostgreSQL for one that is starting, shutting down or
 * has no connection left (57P01 to 57P03, 53300), or that closes a connection for its age or its silence (57P05, and
 * 25P03 and 25P04 within a transaction).
 */
const AWAY =
  /^(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|57P0[1235]|25P0[34]|53300|08...)$/;

/**
 * What pg and its pool say when a connection is not made in time, or breaks, or a statement is not answered in time. These
 * errors have no code.
 */
const AWAY_MESSAGE =
  /^(?:timeout expired|timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error)/;

/**
 * What PgBouncer says to every transaction in its mode for single statements, with 08P01, which it also says of a server
 * that it cannot reach (its server.c and client.c). The store needs transactions, so to wait is in vain.
 */
const WITHOUT_TRANSACTIONS = /transaction blocks not allowed in statement pooling mode/;

function refusesTransactions(error: unknown): boolean {
  return error instanceof Error && WITHOUT_TRANSACTIONS.test(error.message);
}

/** Whether PostgreSQL could not be reached or did not answer, so that it may a moment later. */
export function isAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isAway);
  if (refusesTransactions(error)) return false;
  return AWAY.test(errorCode(error) ?? '') || (error instanceof Error && AWAY_MESSAGE.test(error.message));
}

/** Node's and PostgreSQL's codes for a connection that has ended, as `AWAY` has them, and what pg says of one. */
const ENDED = /^(?:ECONNRESET|EPIPE|57P0[125]|25P0[34])$/;
const ENDED_MESSAGE = /^(?:Connection terminated unexpectedly|Client has encountered a connection error)/;

/** Whether a connection to PostgreSQL has ended. The next one works, as after a failover, or its failure says more. */
export function isEndedConnection(error: unknown): boolean {
  return ENDED.test(errorCode(error) ?? '') || (error instanceof Error && ENDED_MESSAGE.test(error.message));
}

/** A code of the standard for SQL: two characters of its class, and three more. */
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Whether a database made an error, so that its message is about the store. */
export function isOfDatabase(error: unknown): boolean {
  return (
    error instanceof Error && ('errcode' in error || SQLSTATE.test(errorCode(error) ?? '') || isAway(error))
  );
}

/** SQLite's PERM, CORRUPT, AUTH and NOTADB. */
const SQLITE_UNUSABLE: ReadonlySet<number> = new Set([3, 11, 23, 26]);

/** PostgreSQL's codes for a missing right (insufficient_privilege) and a damaged file (data_corrupted, index_corrupted). */
const POSTGRES_UNUSABLE = /^(?:42501|XX00[12])$/;

/** Whether a person has to mend the store: a right was taken away, or its file is damaged. */
export function isUnusable(error: unknown): boolean {
  return isAmong(error, SQLITE_UNUSABLE, POSTGRES_UNUSABLE);
}

/** SQLite's TOOBIG, CONSTRAINT and MISMATCH. */
const SQLITE_REFUSALS: ReadonlySet<number> = new Set([18, 19, 20]);

/** PostgreSQL's classes 22, 23 and 54: a value that does not fit its column, a constraint, a size. */
const POSTGRES_REFUSALS = /^(?:2[23]|54)...$/;

/**
 * Whether a write failed because of the data, so that it fails again whenever it is tried. All other failures may pass.
 */
export function isRefusal(error: unknown): boolean {
  return isAmong(error, SQLITE_REFUSALS, POSTGRES_REFUSALS);
}

/**
 * Node's codes for certificates that no trusted authority signed (Node documentation, "X509 certificate error codes").
 */
const UNTRUSTED: ReadonlySet<string | undefined> = wordSet(`
  DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY
  UNABLE_TO_VERIFY_LEAF_SIGNATURE
`);

/** The user may not write to the folder, or the file system is read-only, as in many containers. */
const UNWRITABLE: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** PostgreSQL's code for a user who may not do that (insufficient_privilege). */
const FORBIDDEN = '42501';

/**
 * A hint for failures whose remedy is hard to guess: PostgreSQL's own clients verify nothing for `require`, since version
 * 15 only the owner of a database may create tables in its schema `public`, a path to a file is no address, and a pooler's
 * mode is not seen here.
 */
export function hintFor(error: unknown, { url }: StorePlace): string {
  const code = errorCode(error);
  if (UNTRUSTED.has(code))
    return '. To trust its certificate, add sslrootcert=FILE (the authority that signed it) to the address; sslmode=no-verify skips the check';
  if (refusesTransactions(error))
    return '. The pooler before it must lend its connections for transactions or sessions (pool_mode of PgBouncer)';
  if (code === FORBIDDEN)
    return '. The user in the address has to own the database (ALTER DATABASE ... OWNER TO), or needs the rights USAGE and CREATE on its schema';
  return url === undefined && UNWRITABLE.has(code)
    ? '. GATEWAY_STORE_PATH (store.path) names another file, DATABASE_URL (store.url) a PostgreSQL'
    : '';
}

/** What pg says of a statement that is not answered in time. */
const NO_ANSWER = 'Query read timeout';

/** Whether a server has taken a statement and not answered it in time. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === NO_ANSWER;
}

/**
 * The message of an error, and for a server that refuses to write or does not answer, what it may be. An AggregateError,
 * from attempts at several addresses, has none, so its first error is used.
 */
export function getReason(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return getReason(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (isUnanswered(error))
    return `${error.message} (PostgreSQL is overloaded, or another connection has locked a table)`;
  return errorCode(error) === READ_ONLY
    ? `${error.message} (PostgreSQL is a replica there, or is set to read-only)`
    : error.message;
}

/** PostgreSQL's code for a table that is not there (undefined_table). */
const UNDEFINED_TABLE = '42P01';

/** SQLite has no code of its own for that (SQLITE_ERROR). */
const NO_TABLE = 'no such table: ';

/**
 * What to do about tables that are gone while they are in use; '' for any other failure. They are not made anew: if
 * somebody is about to restore them, that would fail, and without the keys that the process knows all callers would be
 * refused.
 */
export function adviceOnTables(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if (errorCode(error) !== UNDEFINED_TABLE && !error.message.startsWith(NO_TABLE)) return '';
  return '. If the database was replaced, restore its tables, or restart the gateway to begin with empty ones: then the keys in it are gone';
}
