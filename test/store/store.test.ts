import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { findPrincipal } from '../../src/access/keys.ts';
import { watchKeys } from '../../src/access/watch-keys.ts';
import { reportUsage } from '../../src/accounting/usage/report.ts';
import { writeUsage } from '../../src/accounting/usage/write-usage.ts';

import { changeKey, createKey, revokeKey } from '../../src/store/keys/keys.ts';
import { listKeys } from '../../src/store/keys/list-keys.ts';
import { rotateKey } from '../../src/store/keys/rotate-key.ts';
import { migrations, onlyAdds } from '../../src/store/migrations/migrations.ts';
import { connectStore, isReachable, openStore, type Store } from '../../src/store/store.ts';
import { StoreError } from '../../src/store/store-errors.ts';
import { exchange, noon, rowOf } from '../accounting/usage/records.ts';
import { startPooler } from '../support/pooler.ts';
import { describeStores } from '../support/stores.ts';

/** Removes from a store what later versions have added to the first one. */
async function makeEarlier({ db }: Store): Promise<void> {
  for (const index of ['gateway_keys_change', 'gateway_keys_model_limited'])
    await sql`drop index ${sql.table(index)}`.execute(db);
  for (const table of [
    'gateway_usage_tags',
    'gateway_usage_groups',
    'gateway_groups',
    'gateway_stored',
    'gateway_spent',
    'gateway_audit',
    'gateway_secrets',
    'gateway_usage_months',
    'gateway_usage_tag_months',
    'gateway_usage_group_months',
    'gateway_usage_models',
  ])
    await sql`drop table ${sql.table(table)}`.execute(db);
  for (const [table, column] of [
    ['gateway_exchanges', 'estimated_cost'],
    ['gateway_exchanges', 'tag'],
    ['gateway_exchanges', 'group_name'],
    ['gateway_exchanges', 'upstream_id'],
    ['gateway_exchanges', 'repairs'],
    ['gateway_usage_days', 'estimated_cost'],
    ['gateway_changes', 'by_row'],
    ['gateway_keys', 'change'],
    ['gateway_keys', 'group_name'],
    ['gateway_keys', 'model_limits'],
    ['gateway_keys', 'stored'],
    ['gateway_keys', 'budget_reserve'],
    ['gateway_keys', 'budget_week'],
    ['gateway_keys', 'budget_total'],
    ['gateway_keys', 'tag_limits'],
  ] as const)
    await sql`alter table ${sql.table(table)} drop column ${sql.ref(column)}`.execute(db);
  await sql`delete from gateway_migrations where name > '001-keys-and-usage'`.execute(db);
}

/** Changes a store as a newer version may: an older version must still work with it. */
async function addAsNewer({ db }: Store): Promise<void> {
  for (const table of ['gateway_keys', 'gateway_changes', 'gateway_exchanges', 'gateway_usage_days']) {
    await sql`alter table ${sql.table(table)} add column newer text`.execute(db);
    await sql`alter table ${sql.table(table)} add column newest bigint not null default 7`.execute(db);
    await sql`create index ${sql.table(`${table}_newest`)} on ${sql.table(table)} (newest)`.execute(db);
  }
  await sql`create table gateway_of_tomorrow (id text primary key)`.execute(db);
  for (const name of ['900-of-tomorrow', '901-of-the-day-after'])
    await sql`insert into gateway_migrations (name, timestamp) values (${name}, '2999-01-01')`.execute(db);
}

describeStores('the store', (stores) => {
  test('is created if there is none, also by several processes at once', async () => {
    const place = await stores.newPlace();
    const opened = await Promise.all(Array.from({ length: 4 }, () => stores.open(place)));
    for (const store of opened) expect(await isReachable(store)).toBe(true);
    await Promise.all(opened.map((store, index) => createKey(store, `key-${index}`)));
    for (const store of opened) expect(await listKeys(store)).toHaveLength(4);
  });

  test('one PostgreSQL database holds several stores, each in a schema of its own', async ({ skip }) => {
    skip(stores.postgres() === undefined);
    const first = await stores.open();
    await createKey(first, 'of the first');
    await sql`create schema other`.execute(first.db);
    const url = `${first.place.url}?options=-csearch_path%3D`;
    const other = await stores.open({ ...first.place, url: `${url}other` });
    expect(await listKeys(other)).toEqual([]);
    // A schema that is put first on its search path later takes nothing from it.
    await sql`create schema empty`.execute(first.db);
    expect(await listKeys(await stores.open({ ...first.place, url: `${url}empty,public` }))).toHaveLength(1);
  });

  test('is created and reopened through a pooler in transaction mode', async ({ skip }) => {
    const server = stores.postgres();
    skip(server === undefined);
    const pooler = await startPooler((await server?.newDatabase()) ?? '');
    onTestFinished(() => pooler.close());
    const place = { path: '', url: pooler.url };
    const opened = await Promise.all([stores.open(place), stores.open(place)]);
    // A lock that belongs to a session would be held forever, by a connection that no client has any more.
    opened.push(await stores.open(place));
    await Promise.all(opened.map((store, index) => createKey(store, `key-${index}`)));
    for (const store of opened) expect(await listKeys(store)).toHaveLength(3);
  });

  test('has its content when it is opened again', async () => {
    const place = await stores.newPlace();
    const before = await openStore(place);
    const made = await createKey(before, 'kept');
    await before.close();
    expect(await listKeys(await stores.open(place))).toEqual([made?.row]);
  });

  test('a failed transaction leaves nothing behind', async () => {
    const store = await stores.open();
    const failed = store.db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('gateway_changes').execute();
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await store.db.selectFrom('gateway_changes').selectAll().execute()).toEqual([
      { name: 'keys', version: 0, by_row: 0 },
    ]);
  });

  test('a connection that breaks within a transaction fails it, and nothing else ends', async ({ skip }) => {
    skip(stores.postgres() === undefined);
    const { db } = await stores.open();
    const failing = db.transaction().execute(async (transaction) => {
      const asked = sql<{ pid: number }>`select pg_backend_pid() as pid`;
      const pid = (await asked.execute(transaction)).rows[0]?.pid;
      // While no query runs on it, no code waits to learn that it ended.
      await sql`select pg_terminate_backend(${pid}, 10000)`.execute(db);
      await asked.execute(transaction);
    });
    await expect(failing).rejects.toThrow('terminating connection due to administrator command');
    expect((await sql`select 1`.execute(db)).rows).toHaveLength(1);
  });

  test('the reason why a transaction failed is reported, also if the database has rolled it back itself', async () => {
    const { db } = await stores.open();
    const failing = db.transaction().execute(async (transaction) => {
      await sql`rollback`.execute(transaction);
      throw new Error('the disk is full');
    });
    await expect(failing).rejects.toThrow('the disk is full');
  });

  test('numbers come back as numbers, sums as well', async () => {
    const { db } = await stores.open();
    const version = 2 ** 53 - 1;
    await db.updateTable('gateway_changes').set({ version }).execute();
    const row = await db
      .selectFrom('gateway_changes')
      .select((eb) => [
        eb.fn.sum('version').as('sum'),
        eb.fn.countAll().as('count'),
        eb.fn.max('version').as('version'),
      ])
      .executeTakeFirst();
    expect(row).toEqual({ sum: version, count: 1, version });
  });

  test('a store of an earlier version keeps its content', async () => {
    const place = await stores.newPlace();
    const earlier = await openStore(place);
    await makeEarlier(earlier);
    await sql`
      insert into gateway_usage_days values ('2026-11-20', 'team', 'm', 'v', 1, 0, 0, 3, 2, 0, 0, 0, 0.5, 9, 4, 1)
    `.execute(earlier.db);
    await earlier.close();
    const store = await stores.open(place);
    const [day] = await store.db.selectFrom('gateway_usage_days').selectAll().execute();
    expect(day).toMatchObject({ requests: 1, cost: 0.5, first_bytes: 1, estimated_cost: 0 });
    expect((await createKey(store, 'new'))?.row.change).toBe(1);
  });

  test('a store that is locked for longer than the timeout, as by a backup, is opened afterwards', async ({
    skip,
  }) => {
    skip(stores.postgres() === undefined);
    const place = await stores.newPlace();
    const earlier = await stores.open(place);
    await makeEarlier(earlier);
    const impatient = await earlier.db.transaction().execute(async (transaction) => {
      await sql`lock gateway_exchanges in access share mode`.execute(transaction);
      // The server still runs statements that nobody waits for any more; this waits for them.
      return openStore({ ...place, url: `${place.url}?query_timeout=1000` }).catch(String);
    });
    expect(impatient).toContain('Query read timeout');
    expect(await listKeys(await stores.open(place))).toEqual([]);
  });

  test('a store that was created while the clock was ahead can be opened again', async () => {
    const place = await stores.newPlace();
    const store = await openStore(place);
    await createKey(store, 'kept');
    await sql`update gateway_migrations set timestamp = '2999-01-01' where name = '001-keys-and-usage'`.execute(
      store.db,
    );
    await store.close();
    expect(await listKeys(await stores.open(place))).toHaveLength(1);
  });

  test('a store with additions of a newer version works as before, also for processes that had it open', async () => {
    const place = await stores.newPlace();
    const before = await stores.open(place);
    const { key = '' } = (await createKey(before, 'before')) ?? {};
    await addAsNewer(before);
    const store = await stores.open(place);
    expect(store.newer).toEqual(['900-of-tomorrow', '901-of-the-day-after']);
    for (const one of [before, store]) {
      const followed = await watchKeys(one, { interval: 60_000 });
      const name = one === store ? 'after' : 'meanwhile';
      const made = await createKey(one, name, { budget_day: 2 });
      const id = made?.row.id ?? '';
      await changeKey(one, id, { budget_day: 3 });
      const rotated = await rotateKey(one, id, { grace: 60_000 });
      if (rotated === undefined || !('key' in rotated)) throw new Error('It is not rotated.');
      await followed.refresh();
      for (const opens of [made?.key, rotated.key]) {
        expect(findPrincipal(followed.keys, opens ?? '')).toMatchObject({
          name,
          limits: { budgetDay: 3 },
        });
      }
      expect(findPrincipal(followed.keys, key)?.name).toBe('before');
      await revokeKey(one, id);
      await followed.refresh();
      expect(findPrincipal(followed.keys, rotated.key)).toBeUndefined();
      await followed.stop();
      const used = exchange({ time: noon('2026-11-20'), key: name, cost: 0.5 });
      // Twice, so that the sums of the day exist already the second time.
      for (const batch of [`${name}-1`, `${name}-2`]) await writeUsage(one, [{ ...rowOf(used), batch }]);
      const report = await reportUsage(one, {
        from: '2026-11-20',
        to: '2026-11-20',
        by: ['key'],
        limit: 9,
        key: name,
      });
      expect(report.total).toMatchObject({ requests: 2, cost: 1 });
    }
    expect((await listKeys(store, true)).map((row) => row.name)).toHaveLength(3);
  });

  test('a store that a newer version has made incompatible is rejected', async () => {
    const place = await stores.newPlace();
    const store = await openStore(place);
    await addAsNewer(store);
    await sql`insert into gateway_migrations (name, timestamp) values ('999-all-new-breaking', '2999-01-01')`.execute(
      store.db,
    );
    await store.close();
    await expect(openStore(place)).rejects.toThrow(
      /cannot be opened: a newer version of the gateway has changed its tables \(999-all-new-breaking\)/,
    );
  });
});

test('migrations only add to a store, or their names say that they do not', async () => {
  const statements: string[] = [];
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (all) => new SqliteIntrospector(all),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query.sql),
  });
  for (const [name, { up }] of Object.entries(migrations())) {
    await up(db);
    const all = statements.splice(0);
    expect(all).not.toEqual([]);
    if (!onlyAdds(name)) continue;
    const isMade = (table: string): boolean => all.some((one) => one.startsWith(`create table "${table}"`));
    for (const statement of all) {
      const unique = /^create unique index \S+ on "(\w+)"/.exec(statement)?.[1];
      if (unique !== undefined) expect(isMade(unique), statement).toBe(true);
      else
        expect(statement).toMatch(
          /^(?:create (?:table|index)|insert into|select|alter table \S+ add column) /,
        );
      if (statement.includes('add column') && statement.includes('not null'))
        expect(statement).toContain(' default ');
    }
  }
});

test('a new file that another process is about to write is waited for', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-store-'));
  const path = join(directory, 'gateway.db');
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  const opening = openStore({ path });
  opening.catch(() => undefined);
  await sleep(500);
  other.exec('commit');
  other.close();
  await (await opening).close();
  await rm(directory, { recursive: true });
});

test('a file that one process has open twice cannot be taken by another one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-store-'));
  const path = join(directory, 'gateway.db');
  const first = await openStore({ path });
  const second = connectStore({ path });
  for (const store of [first, second, first]) await createKey(store, 'one');
  // This is what an older SQLite does on closing before it deletes the write-ahead log: it locks the file if
  // no other process has it open.
  const alone = `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)}).exec('pragma locking_mode = exclusive; select 1 from gateway_keys')`;
  expect(spawnSync(process.execPath, ['-e', alone], { encoding: 'utf8' }).stderr).toMatch(/is locked/);
  await Promise.all([first.close(), second.close()]);
  await rm(directory, { recursive: true });
});

test('the file is readable for its owner only', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-store-'));
  const path = join(directory, 'deep', 'gateway.db');
  const store = await openStore({ path });
  for (const file of [path, `${path}-wal`]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(directory, 'deep'))).mode & 0o777).toBe(0o700);
  await store.close();
  await rm(directory, { recursive: true });
});

test.runIf(process.platform === 'linux')(
  'if no file can be created, the error names the alternatives',
  async () => {
    // No user can create a folder there, not even root.
    const opening = openStore({ path: '/sys/gateway/gateway.db' });
    await expect(opening).rejects.toThrow(
      /^the store \/sys\/gateway\/gateway\.db cannot be opened: E\w+: .*\. GATEWAY_STORE_PATH \(store\.path\) names another file, DATABASE_URL/,
    );
  },
);

test('the error for a store that cannot be opened names the store, without its password', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-store-'));
  const path = join(directory, 'gateway.db');
  await writeFile(path, 'this is no database, however long one looks at it');
  await expect(openStore({ path })).rejects.toThrow(/gateway\.db cannot be opened: file is not a database/);
  await expect(openStore({ path: join(path, 'below') })).rejects.toThrow(StoreError);
  await rm(directory, { recursive: true });

  const url = 'postgres://someone:the-password@127.0.0.1:1/gateway';
  const error: unknown = await openStore({ path, url }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoreError);
  expect(String(error)).toMatch(/PostgreSQL.*ECONNREFUSED/);
  expect(String(error)).not.toContain('the-password');
});
