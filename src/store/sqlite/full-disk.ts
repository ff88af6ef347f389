/** Tells a disk that is full from one that fails: of both, SQLite says `disk I/O error` when it makes its files. */

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StorePlace } from '../store-errors.ts';

/** SQLite's IOERR, the lowest byte of its extended codes (SQLite documentation, "Result and Error Codes"). */
const IO_ERROR = 10;

/** SQLite makes a file of this size for its index of the write-ahead log ("WAL-mode File Format", 2). */
const LEAST = 32_768;

/** Words to put behind such an error of a store whose disk is full; '' behind any other. */
export function adviceOnDisk(error: unknown, { path, url }: StorePlace): string {
  const isIoError =
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === IO_ERROR;
  return url === undefined && isIoError && isFull(dirname(path))
    ? ` (the disk of ${dirname(path)} is full)`
    : '';
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < LEAST;
  } catch {
    // The folder is gone, too: nobody knows of its disk.
    return false;
  }
}
