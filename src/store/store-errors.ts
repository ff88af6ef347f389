/** What an error of either database means: whether a write may be tried again, and what people are told. */

import { errorCode } from '../lib/error-code.ts';

/** Where the store is: PostgreSQL at `url`, or else the SQLite file `path`. */
export interface StorePlace {
  readonly path: string;
  readonly url?: string;
}

/** A store that cannot be used: says why. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code = 'STORE';
}

/** SQLite's BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL and CANTOPEN (its documentation, "Result and Error Codes"). */
const SQLITE_SHORT: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14]);

/** PostgreSQL's classes 40, 53, 55, 57 and 58, and a transaction that may only read (its documentation, appendix A). */
const POSTGRES_SHORT = /^(?:(?:40|5[3578])...|25006)$/;

/** Whether a write failed for what the store is short of, room or a lock as a rule, and not for what was to be written. */
export function isShort(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The lowest byte of an extended code is the code.
  if ('errcode' in error && typeof error.errcode === 'number') return SQLITE_SHORT.has(error.errcode & 0xff);
  return POSTGRES_SHORT.test(errorCode(error) ?? '');
}

/** SQLite's TOOBIG, CONSTRAINT and MISMATCH. */
const SQLITE_REFUSALS: ReadonlySet<number> = new Set([18, 19, 20]);

/** PostgreSQL's classes 22, 23 and 54: a value that is none of its column's, a constraint, a size. */
const POSTGRES_REFUSALS = /^(?:2[23]|54)...$/;

/** Whether a write failed for what was to be written, which fails again whenever it is tried. All else may pass. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && typeof error.errcode === 'number')
    return SQLITE_REFUSALS.has(error.errcode & 0xff);
  return POSTGRES_REFUSALS.test(errorCode(error) ?? '');
}

/** Node's codes of certificates that nobody it trusts has signed (its documentation, "X509 certificate error codes"). */
const UNTRUSTED: ReadonlySet<string | undefined> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** A folder that is not the user's, a file system that is read-only, as containers have them. */
const UNWRITABLE: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** What helps, where nobody would think of it: PostgreSQL's own clients verify nothing for `require`, and a file has no address. */
export function hintFor(error: unknown, { url }: StorePlace): string {
  const code = errorCode(error);
  if (UNTRUSTED.has(code))
    return '. To trust its certificate, add sslrootcert=FILE (the authority that signed it) to the address; sslmode=no-verify skips the check';
  return url === undefined && UNWRITABLE.has(code)
    ? '. GATEWAY_STORE_PATH (store.path) names another file, DATABASE_URL (store.url) a PostgreSQL'
    : '';
}

/** Why it failed, in words. An attempt at several addresses (AggregateError) has none of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
