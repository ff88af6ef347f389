/** What happens to usage while the store blocks its writers, and to more of it than memory holds. */

import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Spool } from '../../../src/accounting/usage/spool.ts';
import { postgresDialect } from '../../../src/store/postgres.ts';
import type { Store } from '../../../src/store/store.ts';
import type { StorePlace } from '../../../src/store/store-errors.ts';
import { recordUsage, type UsageOptions } from '../../support/record-usage.ts';
import { soon } from '../../support/soon.ts';
import { describeStores, type TestStores } from '../../support/stores.ts';
import { exchange, rowOf } from './records.ts';

const OPTIONS: UsageOptions = { interval: 2, batch: 50, queue: 1_000 };

let folder: string;
let told: string[];
let recovered: string[];
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'gateway-waiting-')), 'waiting');
  told = [];
  recovered = [];
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));

const onTrouble = (message: string): void => void told.push(message);
const onRecovered = (message: string): void => void recovered.push(message);
const spoolOf = (bytes: number): Spool => new Spool({ folder, bytes, onTrouble });

async function counts({ db }: Store): Promise<{ exchanges: number; summed: number }> {
  const { exchanges } = await db
    .selectFrom('gateway_exchanges')
    .select((eb) => eb.fn.countAll<number>().as('exchanges'))
    .executeTakeFirstOrThrow();
  const { summed } = await db
    .selectFrom('gateway_usage_days')
    .select((eb) => eb.fn.sum<number | null>('requests').as('summed'))
    .executeTakeFirstOrThrow();
  return { exchanges, summed: summed ?? 0 };
}

const all = (count: number) => ({ exchanges: count, summed: count });

/** Records `count` requests, makes the store fail for longer than three tries, and then repairs it. */
async function outlast(store: Store, count: number, end: () => Promise<unknown>): Promise<void> {
  const { record, waiting, dropped, close } = recordUsage(store, { ...OPTIONS, onTrouble, onRecovered });
  for (let at = 0; at < count; at += 1) record(exchange());
  await soon(() => expect(told).toHaveLength(1));
  await pause(400);
  expect([waiting(), dropped()]).toEqual([count, 0]);
  await end();
  await soon(() => expect(waiting()).toBe(0));
  expect(await close(5_000)).toBe(0);
  expect(await counts(store)).toEqual(all(count));
  expect(told).toEqual([expect.stringMatching(/^Usage cannot be written to the store: /)]);
  expect(recovered).toEqual(['Usage can be written to the store again.']);
  expect(dropped()).toBe(0);
}

/** Another client of the same database. */
async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

function urlOf({ url }: StorePlace): string {
  if (url === undefined) throw new Error('This store is not PostgreSQL.');
  return url;
}

/** Sets a setting of a database for all later connections. */
async function setting(url: string, name: string, value: string): Promise<void> {
  const client = await connected(url);
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  await client.query(`alter database ${rows[0]?.name} set ${name} = '${value}'`);
  await client.end();
}

describeStores('usage that has to wait', (stores: TestStores) => {
  /** Holds another process's write lock until the returned function is called. */
  async function locked(place: StorePlace): Promise<() => Promise<void>> {
    if (stores.postgres() !== undefined) {
      const client = await connected(urlOf(place));
      await client.query('begin');
      // CREATE INDEX takes this lock, and so do stronger statements.
      await client.query('lock table gateway_usage_days in share mode');
      return () => client.end();
    }
    const worker = new Worker(HOLDER, { eval: true, workerData: place.path });
    await once(worker, 'message');
    return async () => void (await worker.terminate());
  }

  /** A store whose writers soon give up on a lock. */
  async function impatient(place: StorePlace): Promise<Store> {
    const store = await stores.open(place, { busyTimeout: 20 });
    if (place.url === undefined) return store;
    await setting(place.url, 'lock_timeout', '50ms');
    return stores.open(place);
  }

  test('behind another client’s lock nothing is lost', async () => {
    const place = await stores.newPlace();
    const store = await impatient(place);
    const unlock = await locked(place);
    await outlast(store, 120, unlock);
    expect(told[0]).toMatch(/lock timeout|database is locked/);
  });

  test('what memory cannot hold goes to files, and is read back', async () => {
    const place = await stores.newPlace();
    const store = await impatient(place);
    const spool = spoolOf(1_000_000);
    const unlock = await locked(place);
    const { record, waiting, dropped, close } = recordUsage(store, {
      ...OPTIONS,
      batch: 10,
      queue: 20,
      spool,
      onTrouble,
    });
    for (let at = 0; at < 100; at += 1) record(exchange());
    expect([waiting(), dropped()]).toEqual([30, 0]);
    const files = await readdir(folder);
    expect(files).toHaveLength(7);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const file of files) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    await soon(() => expect(told).toHaveLength(1));
    await unlock();
    await soon(async () => expect(await counts(store)).toEqual(all(100)));
    await soon(async () => expect(await readdir(folder)).toEqual([]));
    expect(await close(5_000)).toBe(0);
    expect(told).toEqual([expect.stringContaining('cannot be written to the store')]);
  });

  test('what is unwritten at shutdown is written by the next start, once, even by two starts at the same time', async () => {
    const place = await stores.newPlace();
    const store = await impatient(place);
    const unlock = await locked(place);
    const first = recordUsage(store, { ...OPTIONS, spool: spoolOf(1_000_000), onTrouble });
    for (let at = 0; at < 120; at += 1) first.record(exchange());
    await soon(() => expect(told).toHaveLength(1));
    expect(await first.close(100)).toBe(0);
    expect(told[1]).toBe(
      `The usage of 120 exchanges waits in ${folder}. The next start writes it to the store.`,
    );
    expect(await counts(store)).toEqual(all(0));
    await unlock();
    // The two wait for each other's locks, for as long as it takes.
    if (place.url !== undefined) await setting(place.url, 'lock_timeout', '0');
    const patient = await stores.open(place);
    const [one, other] = [0, 1].map(() =>
      recordUsage(patient, { ...OPTIONS, spool: spoolOf(1_000_000), onTrouble }),
    );
    await soon(async () => expect(await readdir(folder)).toEqual([]));
    await soon(async () => expect(await counts(store)).toEqual(all(120)));
    expect([await one?.close(5_000), await other?.close(5_000)]).toEqual([0, 0]);
    expect(await counts(store)).toEqual(all(120));
    expect(told).toHaveLength(2);
  });

  test('files have a size limit: later records are lost, counted, and reported once', async () => {
    const place = await stores.newPlace();
    const store = await impatient(place);
    const unlock = await locked(place);
    const { record, dropped, close } = recordUsage(store, {
      ...OPTIONS,
      batch: 10,
      queue: 20,
      spool: spoolOf(20_000),
      onTrouble,
    });
    for (let at = 0; at < 500; at += 1) record(exchange());
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (file) => (await stat(join(folder, file))).size),
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThanOrEqual(20_000);
    expect(dropped()).toBe(500 - 30 - 10 * sizes.length);
    expect(told.filter((message) => message.startsWith('Too much usage waits'))).toHaveLength(1);
    await unlock();
    await soon(async () => expect(await counts(store)).toEqual(all(500 - dropped())));
    expect(await close(5_000)).toBe(0);
  });

  test('of a batch from a file, too, only the records that the store rejects are lost', async () => {
    const place = await stores.newPlace();
    const store = await impatient(place);
    const unlock = await locked(place);
    const first = recordUsage(store, { ...OPTIONS, spool: spoolOf(1_000_000), onTrouble });
    for (let at = 0; at < 10; at += 1) first.record(exchange(at === 4 ? { duration: Number.NaN } : {}));
    expect(await first.close(50)).toBe(0);
    await unlock();
    const next = recordUsage(store, { ...OPTIONS, spool: spoolOf(1_000_000), onTrouble });
    await soon(async () => expect(await counts(store)).toEqual(all(9)));
    await soon(() => expect(next.dropped()).toBe(1));
    expect(await next.close(5_000)).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  test('a batch that is rejected after the end stays in its file for the next start', async (context) => {
    if (stores.postgres() !== undefined) return context.skip();
    const place = await stores.newPlace();
    const store = await stores.open(place);
    const unlock = await locked(place);
    const first = recordUsage(store, { ...OPTIONS, spool: spoolOf(1_000_000), onTrouble });
    for (let at = 0; at < 10; at += 1) first.record(exchange(at === 4 ? { duration: Number.NaN } : {}));
    expect(await first.close(50)).toBe(0);
    await unlock();
    // Behind what the first one still tries to write.
    expect(await counts(store)).toEqual(all(0));
    const next = recordUsage(store, { ...OPTIONS, spool: spoolOf(1_000_000), onTrouble });
    await soon(async () => expect(await counts(store)).toEqual(all(9)));
    expect(await next.close(5_000)).toBe(0);
  });
});

/** A child process that writes to a SQLite file and does not end. */
const HOLDER = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(workerData);
database.exec('begin immediate');
parentPort.postMessage('locked');
setInterval(() => {}, 1000);
`;

describeStores('usage that PostgreSQL makes wait', (stores: TestStores) => {
  const isPostgres = () => stores.postgres() !== undefined;

  test('a statement that gets no answer in time', async (context) => {
    if (!isPostgres()) return context.skip();
    const place = await stores.newPlace();
    await stores.open(place);
    const url = urlOf(place);
    const store: Store = {
      db: new Kysely({ dialect: postgresDialect(url, 150) }),
      kind: 'postgres',
      place,
      newer: [],
      renewAddress: () => undefined,
      close: async () => undefined,
    };
    const other = await connected(url);
    await other.query('begin');
    await other.query('lock table gateway_usage_days in access exclusive mode');
    await outlast(store, 120, () => other.end());
    expect(told[0]).toContain('Query read timeout');
    await store.db.destroy();
  });

  test('a connection that the server ends: only what follows is trouble', async (context) => {
    if (!isPostgres()) return context.skip();
    const place = await stores.newPlace();
    const store = await stores.open(place);
    const url = urlOf(place);
    const other = await connected(url);
    const elsewhere = await connected(new URL('/postgres', url).href);
    const name = new URL(url).pathname.slice(1);
    const waiting =
      "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    const { record, close, ...recorder } = recordUsage(store, { ...OPTIONS, onTrouble, onRecovered });
    for (const accepts of [true, false]) {
      await other.query('begin');
      await other.query('lock table gateway_usage_days in share mode');
      for (let at = 0; at < 60; at += 1) record(exchange());
      await soon(async () => expect((await other.query(waiting)).rows).toHaveLength(1));
      await elsewhere.query(`alter database ${name} allow_connections ${accepts}`);
      await other.query(`select pg_terminate_backend(pid, 10000) from (${waiting}) as waiting`);
      await other.query('commit');
      if (!accepts) await soon(() => expect(told).toHaveLength(1));
      await elsewhere.query(`alter database ${name} allow_connections true`);
      await soon(() => expect(recorder.waiting()).toBe(0));
      expect(told).toEqual(
        accepts ? [] : [expect.stringContaining('is not currently accepting connections')],
      );
      expect(recovered).toEqual(accepts ? [] : ['Usage can be written to the store again.']);
    }
    expect(await close(5_000)).toBe(0);
    expect(await counts(store)).toEqual(all(120));
    await Promise.all([other.end(), elsewhere.end()]);
  });

  test('statement_timeout', async (context) => {
    if (!isPostgres()) return context.skip();
    const place = await stores.newPlace();
    await stores.open(place);
    await setting(urlOf(place), 'statement_timeout', '50ms');
    const store = await stores.open(place);
    const other = await connected(urlOf(place));
    await other.query('begin');
    await other.query('lock table gateway_usage_days in share mode');
    await outlast(store, 120, () => other.end());
    expect(told[0]).toContain('statement timeout');
  });

  test('a deadlock of which this transaction is the victim', async (context) => {
    if (!isPostgres()) return context.skip();
    const place = await stores.newPlace();
    await stores.open(place);
    await setting(urlOf(place), 'deadlock_timeout', '200ms');
    const store = await stores.open(place);
    const other = await connected(urlOf(place));
    await other.query("set deadlock_timeout = '1min'");
    await other.query('begin');
    await other.query('lock table gateway_usage_days in share mode');
    const { record, close, waiting } = recordUsage(store, { ...OPTIONS, onTrouble, onRecovered });
    for (let at = 0; at < 120; at += 1) record(exchange());
    // It holds locks on rows of requests by now, and waits for the other one, which waits for it in turn.
    await soon(async () => {
      const { rows } = await other.query(
        "select 1 from pg_locks where relation = 'gateway_exchanges'::regclass and granted and mode = 'RowExclusiveLock' and pid <> pg_backend_pid()",
      );
      expect(rows.length).toBeGreaterThan(0);
    });
    await other.query('lock table gateway_exchanges in share mode');
    await other.end();
    await soon(() => expect(waiting()).toBe(0));
    expect(await close(5_000)).toBe(0);
    expect(await counts(store)).toEqual(all(120));
    expect(told).toEqual([expect.stringContaining('deadlock detected')]);
  });

  test('transactions that cannot be serialized with others', async (context) => {
    if (!isPostgres()) return context.skip();
    const place = await stores.newPlace();
    await stores.open(place);
    await setting(urlOf(place), 'default_transaction_isolation', 'serializable');
    const opened = await Promise.all(Array.from({ length: 4 }, () => stores.open(place)));
    const recorders = opened.map((store) => recordUsage(store, { ...OPTIONS, batch: 5, onTrouble }));
    for (let at = 0; at < 100; at += 1) for (const { record } of recorders) record(exchange());
    await soon(() => expect(recorders.map(({ waiting }) => waiting())).toEqual([0, 0, 0, 0]));
    expect(await Promise.all(recorders.map(({ close }) => close(15_000)))).toEqual([0, 0, 0, 0]);
    const [store] = opened;
    expect(store && (await counts(store))).toEqual(all(400));
    expect(told.join()).toContain('could not serialize access');
  });

  // The codes are the server's own: PostgreSQL's documentation, appendix A.
  test.for([
    ['its disk is full', '53100'],
    ['it has no memory', '53200'],
    ['a lock is not available', '55P03'],
    ['an object is in use', '55006'],
    ['it cannot write a file', '58030'],
    ['it has become a replica', '25006'],
    ['a right was taken away', '42501'],
    ['something of its own', 'XX000'],
  ])('%s (%s)', async ([, code], context) => {
    if (!isPostgres()) return context.skip();
    const store = await stores.open();
    await sql
      .raw(`
      create function fail() returns trigger language plpgsql as
        $$ begin raise exception 'not now' using errcode = '${code}'; end $$`)
      .execute(store.db);
    await sql`create trigger fail before insert on gateway_usage_days for each row execute function fail()`.execute(
      store.db,
    );
    await outlast(store, 120, () => sql`drop trigger fail on gateway_usage_days`.execute(store.db));
  });
});

describe('files of usage', () => {
  const batch = (name: string) => ({ name, rows: [rowOf(exchange({ tag: 'a' }))] });

  test('of earlier versions, which have their rows as a text, are read too', async () => {
    const rows = JSON.stringify(batch('old').rows);
    spoolOf(10_000).add(batch('old'));
    const [file = ''] = await readdir(folder);
    const old = { name: 'old', rows, count: 1, tagged: true, grouped: false };
    await writeFile(join(folder, file), JSON.stringify(old));
    expect(spoolOf(10_000).take()).toEqual(batch('old'));
  });

  test('are read in the order in which they were written, and stay until they are removed', () => {
    const spool = spoolOf(10_000);
    expect(spool.isWaiting()).toBe(false);
    expect([spool.add(batch('one')), spool.add(batch('two')), spool.add(batch('two'))]).toEqual([
      true,
      true,
      true,
    ]);
    const taken = spool.take();
    expect(taken).toEqual(batch('one'));
    expect(spool.take()).toEqual(batch('two'));
    expect([spool.take(), spool.isWaiting()]).toEqual([undefined, false]);
    spool.remove(batch('one'));
    expect([spool.has(batch('one')), spool.has(batch('two'))]).toEqual([false, true]);
    expect(spoolOf(10_000).take()).toEqual(batch('two'));
  });

  test('that are invalid are reported once and left where they are', async () => {
    spoolOf(10_000).add(batch('good'));
    for (const [name, text] of [
      ['cut', '{"name":"cut","ro'],
      ['empty', ''],
      ['list', '[]'],
    ])
      await writeFile(join(folder, `${name}.json`), text ?? '');
    const spool = spoolOf(10_000);
    expect([spool.take(), spool.take()]).toEqual([batch('good'), undefined]);
    expect(told).toHaveLength(3);
    expect((await readdir(folder)).toSorted()).toEqual([
      'cut.json.damaged',
      'empty.json.damaged',
      'good.json',
      'list.json.damaged',
    ]);
    expect(await readFile(join(folder, 'cut.json.damaged'), 'utf8')).toBe('{"name":"cut","ro');
    spoolOf(10_000);
    expect(told).toHaveLength(3);
  });

  test('if the folder cannot be created, nothing is kept, and that is reported once', async () => {
    await writeFile(folder, '');
    const spool = spoolOf(10_000);
    expect([spool.add(batch('one')), spool.add(batch('two'))]).toEqual([false, false]);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^Usage cannot be kept in /);
  });
});
