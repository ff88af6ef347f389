/** A store copied into another one: from a SQLite file into either database, and back into a file. */

import { copyFile, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { type KyselyPlugin, sql } from 'kysely';
import { expect, test } from 'vitest';
import { writeUsage } from '../../src/accounting/usage/write-usage.ts';
import { formatDay } from '../../src/lib/calendar.ts';
import { copyStore } from '../../src/store/copy-store.ts';
import { insertRows } from '../../src/store/insert-rows.ts';
import { createGroup } from '../../src/store/keys/groups.ts';
import { createKey, revokeKey } from '../../src/store/keys/keys.ts';
import { rotateKey } from '../../src/store/keys/rotate-key.ts';
import { migrations } from '../../src/store/migrations/migrations.ts';
import { connectStore, openReadOnly, type Store } from '../../src/store/store.ts';
import type { ExchangeRow, GroupRow, KeyRow, Tables, UsageTagRow } from '../../src/store/tables.ts';
import { exchange, noon, rowOf } from '../accounting/usage/records.ts';
import { describeStores, type TestStores } from '../support/stores.ts';

const never = new AbortController().signal;

const TABLES = [
  'gateway_changes',
  'gateway_exchanges',
  'gateway_groups',
  'gateway_keys',
  'gateway_stored',
  'gateway_spent',
  'gateway_audit',
  'gateway_secrets',
  'gateway_usage_months',
  'gateway_usage_tag_months',
  'gateway_usage_group_months',
  'gateway_usage_models',
  'gateway_usage_days',
  'gateway_usage_groups',
  'gateway_usage_tags',
] as const satisfies readonly (keyof Tables)[];

/** Every row of every table, in an order that does not depend on the database. */
async function allRows({ db }: Store): Promise<readonly (readonly string[])[]> {
  return Promise.all(
    TABLES.map(async (table) => {
      const { rows } = await sql`select * from ${sql.table(table)}`.execute(db);
      return rows.map((row) => JSON.stringify(Object.entries(Object(row)).sort())).sort();
    }),
  );
}

/** A new store in a file, whatever database the others are in. */
async function newFile(stores: TestStores): Promise<Store> {
  const { path } = await stores.newPlace();
  return stores.open({ path });
}

/** A store as the first version made it. */
async function newEarlier(path: string): Promise<Store> {
  const store = connectStore({ path }, { create: true });
  await migrations()['001-keys-and-usage']?.up(store.db);
  await sql`create table gateway_migrations (name text, timestamp text)`.execute(store.db);
  await sql`insert into gateway_migrations values ('001-keys-and-usage', '2026-01-01')`.execute(store.db);
  return store;
}

async function withSource<R>(path: string, copy: (source: Store) => Promise<R>): Promise<R> {
  const source = await openReadOnly({ path });
  try {
    return await copy(source);
  } finally {
    await source.close();
  }
}

function use(store: Store, batch: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, place) => ({
    ...rowOf(exchange({ id: `${batch}-${place}`, time: noon('2026-11-20') }), place),
    batch,
  }));
  return writeUsage(store, rows);
}

/** Runs a function as soon as anything has been read. */
function onFirstResult(act: () => Promise<unknown>): KyselyPlugin {
  let done = false;
  return {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!done) {
        done = true;
        await act();
      }
      return result;
    },
  };
}

async function insert(store: Store, table: keyof Tables, rows: readonly object[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  await store.db.transaction().execute((db) => insertRows(db, store.kind, table, Object.keys(first), rows));
}

const text = fc.string({ unit: 'grapheme' }).filter((string) => !string.includes('\0'));
const whole = fc.maxSafeNat();
const small = fc.integer({ min: 0, max: 2 ** 31 - 1 });
/** Dollars and milliseconds. */
const number = fc.double({ min: 0, max: 1e12, noNaN: true });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary);
/** Their sums still fit into a column. */
const some = fc.nat(1e12);
const day = fc.integer({ min: 0, max: 20_000 }).map((count) => formatDay(count * 86_400_000));

const keyRows = fc.uniqueArray(
  fc.record<KeyRow>({
    id: text,
    name: text,
    hint: text,
    hash: text,
    old_hash: maybe(text),
    old_until: maybe(whole),
    models: maybe(fc.array(text).map((list) => JSON.stringify(list))),
    expires_at: maybe(whole),
    group_name: maybe(text),
    requests_per_minute: maybe(whole),
    tokens_per_minute: maybe(whole),
    concurrent_requests: maybe(whole),
    budget_day: maybe(number),
    budget_month: maybe(number),
    budget_week: maybe(number),
    budget_total: maybe(number),
    budget_reserve: maybe(text),
    tag_limits: maybe(text),
    model_limits: maybe(text),
    stored: maybe(text),
    created_at: whole,
    revoked_at: maybe(whole),
    change: whole,
  }),
  { comparator: (one, other) => one.id === other.id || one.name === other.name || one.hash === other.hash },
);

const groupRows = fc.uniqueArray(
  fc.record<GroupRow>({
    name: text,
    models: maybe(fc.array(text).map((list) => JSON.stringify(list))),
    requests_per_minute: maybe(whole),
    tokens_per_minute: maybe(whole),
    concurrent_requests: maybe(whole),
    budget_day: maybe(number),
    budget_month: maybe(number),
    budget_week: maybe(number),
    budget_total: maybe(number),
    budget_reserve: maybe(text),
    model_limits: maybe(text),
    stored: maybe(text),
    created_at: whole,
    change: whole,
  }),
  { selector: ({ name }) => name },
);

const exchangeRows = fc.uniqueArray(
  fc.record<ExchangeRow>({
    batch: fc.uuid(),
    place: small,
    id: text,
    time: fc.nat(8.64e15),
    day,
    key: text,
    group_name: maybe(text),
    tag: maybe(text),
    model: text,
    vendor: text,
    format: text,
    spoken: maybe(text),
    operation: text,
    streamed: fc.constantFrom(0, 1),
    status: small,
    outcome: text,
    fault: maybe(text),
    duration: number,
    first_byte: maybe(number),
    input: maybe(whole),
    output: maybe(whole),
    reasoning: maybe(whole),
    cache_read: maybe(whole),
    cache_write: maybe(whole),
    cache_write_hour: maybe(whole),
    cost: maybe(number),
    estimated_cost: maybe(number),
    attempts: small,
    upstream_id: maybe(text),
    repairs: maybe(text),
  }),
  { selector: ({ batch, place }) => `${batch} ${place}` },
);

const tagRows = fc.uniqueArray(
  fc.record<UsageTagRow>({
    day,
    key: text,
    model: text,
    vendor: text,
    tag: text,
    requests: some,
    errors: some,
    uncounted: some,
    input: some,
    output: some,
    reasoning: some,
    cache_read: some,
    cache_write: some,
    cost: number,
    estimated_cost: number,
    duration: number,
    first_byte: number,
    first_bytes: some,
  }),
  { selector: (row) => JSON.stringify([row.day, row.key, row.model, row.vendor]), minLength: 1 },
);

describeStores('a copy', (stores) => {
  test('holds what the store holds, to the last digit, and so does a copy of the copy', async () => {
    await fc.assert(
      fc.asyncProperty(keyRows, groupRows, exchangeRows, tagRows, async (keys, groups, exchanges, tags) => {
        const source = await newFile(stores);
        await insert(source, 'gateway_keys', keys);
        await insert(source, 'gateway_groups', groups);
        await insert(source, 'gateway_exchanges', exchanges);
        await insert(
          source,
          'gateway_usage_days',
          tags.map(({ tag: _, ...day }) => day),
        );
        await insert(source, 'gateway_usage_tags', tags);
        await insert(
          source,
          'gateway_usage_groups',
          tags.map(({ tag, ...day }) => ({ ...day, group_name: tag })),
        );
        await source.db
          .insertInto('gateway_stored')
          .values({ id: 'resp_1', key: 'one', made_at: 1 })
          .execute();
        await sql`update gateway_changes set version = 7, by_row = 5`.execute(source.db);
        const [there, back] = [await stores.open(), await newFile(stores)];
        expect((await copyStore(source, there, never)).made).toBe(true);
        expect((await copyStore(there, back, never)).made).toBe(true);
        const rows = await allRows(source);
        expect(await allRows(there)).toEqual(rows);
        expect(await allRows(back)).toEqual(rows);
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });

  test('is complete with more rows than are in memory at a time, even if some were deleted', async () => {
    const [source, there, back] = [await newFile(stores), await stores.open(), await newFile(stores)];
    for (const batch of ['one', 'two', 'three']) await use(source, batch, 900);
    await sql`delete from gateway_exchanges where batch = 'two' or place < 3`.execute(source.db);
    await copyStore(source, there, never);
    const { held } = await copyStore(there, back, never);
    expect(held).toMatchObject({ keys: 0, exchanges: 2 * 897, days: 1, requests: 2_700 });
    expect(await allRows(back)).toEqual(await allRows(source));
  });

  test('has every table that a store has', async () => {
    const { rows } = await sql<{ name: string }>`
      select name from sqlite_master where type = 'table' and name not like 'gateway_migrations%'`.execute(
      (await newFile(stores)).db,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual([...TABLES].sort());
  });

  test('leaves the source file as it is, also one of an earlier version', async () => {
    const { path } = await stores.newPlace();
    const earlier = await newEarlier(path);
    await sql`
      insert into gateway_usage_days values ('2026-11-20', 'team', 'm', 'v', 1, 0, 0, 3, 2, 0, 0, 0, 0.5, 9, 4, 1)
    `.execute(earlier.db);
    await earlier.close();
    const before = await readFile(path);
    const there = await stores.open();
    await withSource(path, (source) => copyStore(source, there, never));
    expect(await readFile(path)).toEqual(before);
    expect((await readFile(`${path}-wal`)).length).toBe(0);
    const totals = await there.db.selectFrom('gateway_spent').selectAll().execute();
    expect(totals).toEqual([{ holder: 'key', name: 'team', model: 'm', cost: 0.5 }]);
    const [day] = await there.db.selectFrom('gateway_usage_days').selectAll().execute();
    expect(day).toMatchObject({ requests: 1, cost: 0.5, first_bytes: 1, estimated_cost: 0 });
    expect((await createKey(there, 'new'))?.row.change).toBe(1);
  });

  test('of a file includes what a crash left beside it', async () => {
    const { path } = await stores.newPlace();
    const open = await stores.open({ path });
    await createKey(open, 'team');
    for (const end of ['', '-wal']) await copyFile(`${path}${end}`, `${path}-crashed${end}`);
    const there = await stores.open();
    await withSource(`${path}-crashed`, (source) => copyStore(source, there, never));
    expect(await allRows(there)).toEqual(await allRows(open));
  });

  test('is not made twice, nor into a store that holds anything else', async () => {
    const [source, there] = [await newFile(stores), await stores.open()];
    await use(source, 'one', 3);
    const made = await createKey(source, 'team');
    const first = await copyStore(source, there, never);
    expect(await copyStore(source, there, never)).toEqual({ held: first.held, made: false });
    await rotateKey(source, made?.row.id ?? '');
    const before = await allRows(there);
    await expect(copyStore(source, there, never)).rejects.toThrow(
      /is not empty \(keys: 1; exchanges: 3, 2026-11-20T12:00:00\.000Z to 2026-11-20T12:00:00\.000Z; days of usage: 1, 2026-11-20 to 2026-11-20\)/,
    );
    await revokeKey(there, made?.row.id ?? '');
    await expect(copyStore(source, there, never)).rejects.toThrow('keys: 1, 1 of them revoked; ');
    expect(await allRows(there)).not.toEqual(before);
  });

  test.for(['keys', 'groups', 'exchanges', 'days'])(
    'a target that holds %s alone is not empty',
    async (kind) => {
      const [source, there] = [await newFile(stores), await stores.open()];
      await expect(copyStore(source, there, never)).rejects.toThrow(/^\/.* has neither keys nor usage$/);
      if (kind === 'keys') await createKey(source, 'team');
      else if (kind === 'groups') await createGroup(source, 'search');
      else await use(source, 'one', 1);
      if (kind === 'exchanges') await sql`delete from gateway_usage_days`.execute(source.db);
      if (kind === 'days') await sql`delete from gateway_exchanges`.execute(source.db);
      await copyStore(source, there, never);
      expect(await allRows(there)).toEqual(await allRows(source));
      const other = await newFile(stores);
      await createKey(other, 'other');
      await expect(copyStore(other, there, never)).rejects.toThrow('is not empty');
    },
  );

  test('of a store with additions of a newer version is left to that version', async () => {
    const source = await newFile(stores);
    await createKey(source, 'team');
    await sql`insert into gateway_migrations values ('900-of-tomorrow', '2999-01-01')`.execute(source.db);
    await expect(
      withSource(source.place.path, async (read) => copyStore(read, await stores.open(), never)),
    ).rejects.toThrow(/a newer version of the gateway has changed the tables of \S+ \(900-of-tomorrow\)/);
  });

  test('that is interrupted, or fails, leaves nothing behind', async () => {
    const [source, there] = [await newFile(stores), await stores.open()];
    await createKey(source, 'team');
    await use(source, 'one', 1_500);
    const before = await allRows(there);
    const interrupted = AbortSignal.abort(new Error('it was interrupted'));
    await expect(copyStore(source, there, interrupted)).rejects.toThrow('it was interrupted');
    expect(await allRows(there)).toEqual(before);
    await sql`create unique index gateway_one_id on gateway_exchanges (id)`.execute(there.db);
    await sql`update gateway_exchanges set id = 'one-0' where place = 1499`.execute(source.db);
    await expect(copyStore(source, there, never)).rejects.toThrow(/^not all of \S+ has arrived in /);
    expect(await allRows(there)).toEqual(before);
  });

  test('is not made if the source is written to meanwhile: those writes would be lost', async () => {
    const [source, there] = [await newFile(stores), await stores.open()];
    await createKey(source, 'team');
    const before = await allRows(there);
    const other = await stores.open(source.place);
    for (const write of [() => createKey(other, 'late'), () => use(other, 'late', 1)]) {
      const db = source.db.withPlugin(onFirstResult(write));
      await expect(copyStore({ ...source, db }, there, never)).rejects.toThrow(
        'was written to in the meantime: stop every gateway that uses it first',
      );
      expect(await allRows(there)).toEqual(before);
    }
    await copyStore(source, there, never);
    expect(await allRows(there)).toEqual(await allRows(source));
  });
});
