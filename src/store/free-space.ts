/** Gives the space of deleted rows back to the disk. PostgreSQL does that itself. */

import { sql } from 'kysely';
import { rest } from './rest.ts';
import type { Store } from './store.ts';

/** Pages that are given back at once. Meanwhile no other process can write, for some 10 ms. */
const PIECE = 500;

/** The mode of a file that gives pages back when it is asked to. Others reuse them, and never shrink. */
const INCREMENTAL = 2;

/**
 * Gives free pages of a SQLite file back, piece by piece. A file of a version before this one cannot do that until
 * `vacuum` has rewritten it. @param signal ends it between two pieces.
 */
export async function freeSpace({ db, kind }: Store, signal?: AbortSignal): Promise<void> {
  if (kind !== 'sqlite' || (await readPragma({ db }, 'auto_vacuum')) !== INCREMENTAL) return;
  while (signal?.aborted !== true && (await readPragma({ db }, 'freelist_count')) > 0) {
    await sql`pragma incremental_vacuum(${sql.lit(PIECE)})`.execute(db);
    await rest(signal);
  }
}

/**
 * Rewrites a SQLite file as small as it can be, so that it gives space back by itself from then on. Nobody else can
 * write meanwhile, and the disk needs room for a second copy.
 * @returns the size before and after, in bytes.
 * @throws if another process uses the file for too long.
 */
export async function vacuum({ db }: Store): Promise<{ readonly before: number; readonly after: number }> {
  const before = await readSize({ db });
  await sql`pragma auto_vacuum = incremental`.execute(db);
  await sql`vacuum`.execute(db);
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  return { before, after: await readSize({ db }) };
}

async function readSize(store: Pick<Store, 'db'>): Promise<number> {
  return (await readPragma(store, 'page_count')) * (await readPragma(store, 'page_size'));
}

async function readPragma({ db }: Pick<Store, 'db'>, name: string): Promise<number> {
  const { rows } = await sql<Readonly<Record<string, number>>>`pragma ${sql.raw(name)}`.execute(db);
  return rows[0]?.[name] ?? 0;
}
