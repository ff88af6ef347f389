/** Copies a whole store into an empty one. Either may be SQLite or PostgreSQL. */

import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql, type Transaction } from 'kysely';
import { insertRows } from './insert-rows.ts';
import { sumUpSpent } from './migrations/later-migrations.ts';
import { readMigrations } from './migrations/migrate.ts';
import { describePlace, type Store } from './store.ts';
import { StoreError } from './store-errors.ts';
import type { Tables } from './tables.ts';
import { ROLLUPS, sumUpAll } from './usage-sums.ts';

/** Figures about the contents of a store. Two stores have the same figures only if one is a copy of the other. */
export interface StoreContents {
  readonly keys: number;
  readonly revoked: number;
  readonly last_key: number | null;
  readonly key_groups: number;
  /** The number of changes to keys. */
  readonly version: number;
  readonly exchanges: number;
  readonly first_time: number | null;
  readonly last_time: number | null;
  /** The number of days with usage, and the sums over all of them. */
  readonly days: number;
  readonly first_day: string | null;
  readonly last_day: string | null;
  readonly requests: number | null;
  readonly tokens: number | null;
}

export interface Copied {
  readonly held: StoreContents;
  /** False if the copy existed already. */
  readonly made: boolean;
}

const TABLES = [
  'gateway_changes',
  'gateway_groups',
  'gateway_keys',
  'gateway_exchanges',
  'gateway_usage_days',
  'gateway_usage_tags',
  'gateway_usage_groups',
  'gateway_stored',
  'gateway_spent',
  'gateway_audit',
  'gateway_secrets',
  ...ROLLUPS.map(({ table }) => table),
] as const;

/** The migrations that create the totals, and the sums of sums. */
const SPENT = '009-spent';
const SUMS = '011-sums-of-sums';

/** Tables that a store of an earlier version may lack, and the migration that creates each. */
const MADE_BY: Partial<Record<keyof Tables, string>> = {
  gateway_usage_tags: '004-tags',
  gateway_groups: '005-groups',
  gateway_usage_groups: '005-groups',
  gateway_stored: '007-stored',
  gateway_spent: SPENT,
  gateway_audit: '010-audit',
  gateway_secrets: '013-secrets',
  gateway_usage_months: SUMS,
  gateway_usage_tag_months: SUMS,
  gateway_usage_group_months: SUMS,
  gateway_usage_models: SUMS,
};

/** Rows that are in memory at the same time. */
const PIECE = 1_000;

/**
 * Copies all tables, as they are at one moment, in one transaction. If it fails, nothing is kept.
 * @param from the source. It is only read; a store of an earlier version stays as it is.
 * @param to the target. Its tables are up to date, and it is empty or already holds this copy. Nobody else writes to it
 * meanwhile.
 * @param signal aborts the copy between two pieces.
 * @param watching milliseconds for which `from` is watched after it has been read: a gateway that uses it writes now and
 *   then.
 * @throws StoreError if `to` holds something else, or if `from` was written to meanwhile: the late rows would be lost.
 */
export function copyStore(from: Store, to: Store, signal: AbortSignal, watching = 0): Promise<Copied> {
  const source = describePlace(from.place);
  const newer = from.newer.join(', ');
  if (newer !== '')
    throw new StoreError(
      `a newer version of the gateway has changed the tables of ${source} (${newer}): copy it with that version`,
    );
  return to.db.transaction().execute(async (target) => {
    if (to.kind === 'postgres')
      await sql`lock table ${sql.join(TABLES.map(sql.table))} in exclusive mode`.execute(target);
    const there = await countContents(target);
    const held = await from.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (reading) => {
        if (isEmpty(there)) await copyTables({ from: from.kind, reading, to: to.kind, target, signal });
        return countContents(reading);
      });
    if (isEmpty(held)) throw new StoreError(`${source} has neither keys nor usage`);
    if (!isEmpty(there)) {
      if (isDeepStrictEqual(there, held)) return { held, made: false };
      throw new StoreError(
        `${describePlace(to.place)} is not empty (${renderContents(there)}): copy to a database, or a schema, without keys and usage`,
      );
    }
    await pause(watching, undefined, { signal }).catch(() => signal.throwIfAborted());
    if (!isDeepStrictEqual(await countContents(from.db), held))
      throw new StoreError(`${source} was written to in the meantime: stop every gateway that uses it first`);
    if (!isDeepStrictEqual(await countContents(target), held))
      throw new StoreError(`not all of ${source} has arrived in ${describePlace(to.place)}`);
    signal.throwIfAborted();
    return { held, made: true };
  });
}

/** Renders holdings as text for people. */
export function renderContents(held: StoreContents): string {
  const time = (milliseconds: number | null): string => new Date(milliseconds ?? 0).toISOString();
  const {
    keys,
    revoked,
    key_groups: groups,
    exchanges,
    first_time,
    last_time,
    days,
    first_day,
    last_day,
  } = held;
  return [
    `keys: ${keys}${revoked > 0 ? `, ${revoked} of them revoked` : ''}`,
    ...(groups > 0 ? [`groups: ${groups}`] : []),
    `exchanges: ${exchanges}${exchanges > 0 ? `, ${time(first_time)} to ${time(last_time)}` : ''}`,
    `days of usage: ${days}${days > 0 ? `, ${first_day} to ${last_day}` : ''}`,
  ].join('; ');
}

async function countContents(db: Kysely<Tables>): Promise<StoreContents> {
  const done = new Set(await readMigrations({ db }));
  const groups = done.has('005-groups')
    ? sql`(select count(*) as key_groups from gateway_groups)`
    : sql`(select 0 as key_groups)`;
  const { rows } = await sql<StoreContents>`
    select * from
      (select count(*) as keys, count(revoked_at) as revoked, max(created_at) as last_key from gateway_keys) as k,
      ${groups} as g,
      (select version from gateway_changes where name = 'keys') as c,
      (select count(*) as exchanges, min(time) as first_time, max(time) as last_time from gateway_exchanges) as e,
      (select count(distinct day) as days, min(day) as first_day, max(day) as last_day,
        sum(requests) as requests, sum(input + output) as tokens from gateway_usage_days) as d`.execute(db);
  const [held] = rows;
  if (held === undefined) throw new StoreError('its table gateway_changes has been emptied');
  return held;
}

function isEmpty({ keys, key_groups: groups, exchanges, days }: StoreContents): boolean {
  return keys + groups + exchanges + days === 0;
}

interface Copying {
  readonly from: Store['kind'];
  readonly reading: Transaction<Tables>;
  readonly to: Store['kind'];
  readonly target: Transaction<Tables>;
  readonly signal: AbortSignal;
}

async function copyTables({ from, reading, to, target, signal }: Copying): Promise<void> {
  // Every store has this row from the beginning, so the target has one too.
  await target.deleteFrom('gateway_changes').execute();
  const done = new Set(await readMigrations({ db: reading }));
  for (const table of TABLES) {
    const madeBy = MADE_BY[table];
    if (madeBy !== undefined && !done.has(madeBy)) continue;
    const pieces = from === 'postgres' ? piecesByCursor(reading, table) : piecesByRowid(reading, table);
    for await (const rows of pieces) {
      signal.throwIfAborted();
      const [first] = rows;
      if (first !== undefined) await insertRows(target, to, table, Object.keys(first), rows);
    }
  }
  if (!done.has(SPENT)) await sumUpSpent(target);
  if (!done.has(SUMS)) for (const rollup of ROLLUPS) await sumUpAll(target, rollup);
}

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Reads a table in pieces, in the order in which its rows were written. */
async function* piecesByRowid(db: Transaction<Tables>, table: string): AsyncGenerator<Rows> {
  const range = sql<Readonly<Record<'first' | 'last', number | null>>>`
    select min(rowid) as first, max(rowid) as last from ${sql.table(table)}`;
  const { first, last } = { first: null, last: null, ...(await range.execute(db)).rows[0] };
  if (first === null || last === null) return;
  for (let start = first; start <= last; start += PIECE) {
    const piece = sql<Rows[number]>`
      select * from ${sql.table(table)} where rowid >= ${start} and rowid < ${start + PIECE}`;
    yield (await piece.execute(db)).rows;
  }
}

async function* piecesByCursor(db: Transaction<Tables>, table: string): AsyncGenerator<Rows> {
  await sql`declare pieces no scroll cursor for select * from ${sql.table(table)}`.execute(db);
  for (;;) {
    const { rows } = await sql<Rows[number]>`fetch ${sql.lit(PIECE)} from pieces`.execute(db);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close pieces`.execute(db);
}
