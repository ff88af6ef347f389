import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { exchangeQuery, listExchanges } from '../../../src/accounting/usage/list-exchanges.ts';
import { writeUsage } from '../../../src/accounting/usage/write-usage.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { openDiagnostics } from '../../../src/lib/diagnostics.ts';
import { openStoreAccess } from '../../../src/server/process/store-access.ts';
import { deleteInPieces } from '../../../src/store/delete-in-pieces.ts';
import type { Store } from '../../../src/store/store.ts';
import { recordUsage, type UsageOptions } from '../../support/record-usage.ts';
import { soon } from '../../support/soon.ts';
import { describeStores } from '../../support/stores.ts';
import { exchange, noon, rowOf } from './records.ts';

const OPTIONS: UsageOptions = { interval: 20, batch: 100, queue: 1_000 };

async function counts({ db }: Store): Promise<{ exchanges: number; summed: number }> {
  const { exchanges } = await db
    .selectFrom('gateway_exchanges')
    .select((eb) => eb.fn.countAll<number>().as('exchanges'))
    .executeTakeFirstOrThrow();
  const days = await db.selectFrom('gateway_usage_days').select('requests').execute();
  return { exchanges, summed: days.reduce((sum, { requests }) => sum + requests, 0) };
}

describeStores('the recorder', (stores) => {
  test('a request is stored whole', async () => {
    const store = await stores.open();
    const { record, close } = recordUsage(store, OPTIONS);
    const whole = exchange({
      usage: { input: 100, cacheRead: 40, cacheWrite: 30, cacheWriteHour: 10, output: 20, reasoning: 5 },
      fault: 'upstream-broken',
      tag: 'customer-42',
      group: 'search',
      upstreamId: 'msg_1',
      repairs: ['thoughts', 'tool names'],
    });
    record(whole);
    expect(await close(5_000)).toBe(0);
    const [row] = await store.db.selectFrom('gateway_exchanges').selectAll().execute();
    expect(row).toEqual({
      batch: row?.batch,
      place: 0,
      id: 'req_1',
      time: noon('2026-11-20'),
      day: '2026-11-20',
      key: 'team',
      model: 'openai/gpt-4o',
      vendor: 'openai',
      format: 'chat-completions',
      spoken: 'chat-completions',
      operation: 'generate',
      streamed: 1,
      status: 200,
      outcome: 'complete',
      fault: 'upstream-broken',
      duration: 1_000,
      first_byte: 200,
      input: 100,
      output: 20,
      reasoning: 5,
      cache_read: 40,
      cache_write: 30,
      cache_write_hour: 10,
      cost: 0.001,
      estimated_cost: null,
      attempts: 1,
      tag: 'customer-42',
      group_name: 'search',
      upstream_id: 'msg_1',
      repairs: 'thoughts,tool names',
    });
    expect(await listExchanges(store, exchangeQuery.parse({}))).toMatchObject({
      exchanges: [{ id: 'req_1', upstream_id: 'msg_1', repairs: ['thoughts', 'tool names'] }],
      next: null,
    });
    expect(await store.db.selectFrom('gateway_usage_tags').selectAll().execute()).toEqual([
      {
        ...(await store.db.selectFrom('gateway_usage_days').selectAll().executeTakeFirst()),
        tag: 'customer-42',
      },
    ]);
    expect(await store.db.selectFrom('gateway_usage_groups').selectAll().execute()).toEqual([
      {
        ...(await store.db.selectFrom('gateway_usage_days').selectAll().executeTakeFirst()),
        group_name: 'search',
      },
    ]);
  });

  test('unknown values are null, and the sums count them as zero', async () => {
    const store = await stores.open();
    const { record, close } = recordUsage(store, OPTIONS);
    const { model, vendor, spoken, firstByte, cost, ...refused } = exchange({
      status: 404,
      outcome: 'refused',
    });
    expect([model, vendor, spoken, firstByte, cost]).not.toContain(undefined);
    record({ ...refused, usage: {}, attempts: 0 });
    await close(5_000);
    const [row] = await store.db.selectFrom('gateway_exchanges').selectAll().execute();
    expect(row).toMatchObject({
      model: '',
      vendor: '',
      spoken: null,
      first_byte: null,
      input: null,
      cost: null,
    });
    const [day] = await store.db.selectFrom('gateway_usage_days').selectAll().execute();
    expect(day).toEqual({
      day: '2026-11-20',
      key: 'team',
      model: '',
      vendor: '',
      requests: 1,
      errors: 1,
      uncounted: 0,
      input: 0,
      output: 0,
      reasoning: 0,
      cache_read: 0,
      cache_write: 0,
      cost: 0,
      estimated_cost: 0,
      duration: 1_000,
      first_byte: 0,
      first_bytes: 0,
    });
  });

  test('the sums of a day are those of all its batches', async () => {
    const store = await stores.open();
    const usage = { input: 100, cacheRead: 40, cacheWrite: 30, output: 20, reasoning: 5 };
    const estimated = { tokens: 50, cost: 0.25 };
    const { cost, ...uncounted } = exchange({
      outcome: 'failed',
      duration: 300,
      firstByte: 7,
      usage,
      estimated,
    });
    expect(cost).toBeDefined();
    for (const each of [exchange({ usage }), uncounted, uncounted]) {
      const { record, close } = recordUsage(store, OPTIONS);
      record(each);
      expect(await close(5_000)).toBe(0);
    }
    const days = await store.db.selectFrom('gateway_usage_days').selectAll().execute();
    expect(days).toEqual([
      {
        day: '2026-11-20',
        key: 'team',
        model: 'openai/gpt-4o',
        vendor: 'openai',
        requests: 3,
        errors: 2,
        uncounted: 2,
        input: 300,
        output: 60,
        reasoning: 15,
        cache_read: 120,
        cache_write: 90,
        cost: 0.001,
        estimated_cost: 0.5,
        duration: 1_600,
        first_byte: 214,
        first_bytes: 3,
      },
    ]);
  });

  test('many requests are all written, in batches, and summed up', async () => {
    const store = await stores.open();
    const { record, waiting, close, dropped } = recordUsage(store, { ...OPTIONS, queue: 10_000 });
    for (let count = 0; count < 2_550; count += 1) {
      record(exchange({ key: `key-${count % 3}`, time: noon(count % 2 ? '2026-11-19' : '2026-11-20') }));
    }
    // The last 50 do not fill a batch yet.
    expect(waiting()).toBe(2_500);
    expect(await close(15_000)).toBe(0);
    expect(await counts(store)).toEqual({ exchanges: 2_550, summed: 2_550 });
    const days = await store.db.selectFrom('gateway_usage_days').selectAll().execute();
    expect(days).toHaveLength(6);
    for (const day of days) {
      expect(day).toMatchObject({
        requests: 425,
        input: 42_500,
        cache_read: 17_000,
        output: 8_500,
        first_bytes: 425,
      });
      expect(day.cost).toBeCloseTo(0.425, 9);
    }
    expect(dropped()).toBe(0);
  });

  test('waiting records are written after a while', async () => {
    const store = await stores.open();
    const { record, close } = recordUsage(store, OPTIONS);
    record(exchange());
    await soon(async () => expect(await counts(store)).toEqual({ exchanges: 1, summed: 1 }));
    record(exchange());
    await soon(async () => expect(await counts(store)).toEqual({ exchanges: 2, summed: 2 }));
    await close(5_000);
  });

  test('requests without a key are not stored', async () => {
    const store = await stores.open();
    const { record, waiting, close } = recordUsage(store, OPTIONS);
    const { key, ...nobodys } = exchange({ status: 401, outcome: 'refused' });
    expect(key).toBe('team');
    record(nobodys);
    expect(waiting()).toBe(0);
    await close(5_000);
  });

  test('texts and numbers that no column can hold do not keep other records out', async () => {
    const store = await stores.open();
    const { record, close } = recordUsage(store, OPTIONS);
    record(
      exchange({
        id: 'a\u0000b\ud800',
        key: 'te\u0000am',
        usage: { input: 1e300, output: -5, reasoning: 1.5 },
      }),
    );
    record(exchange());
    expect(await close(5_000)).toBe(0);
    const rows = await store.db.selectFrom('gateway_exchanges').selectAll().orderBy('place').execute();
    expect(rows).toMatchObject([
      { id: 'ab\ufffd', key: 'team', input: 1e9, output: 0, reasoning: 2 },
      { id: 'req_1' },
    ]);
  });

  test('a batch that is written twice counts once', async () => {
    const store = await stores.open();
    const rows = [exchange(), exchange()].map(rowOf);
    await writeUsage(store, rows);
    await writeUsage(store, rows);
    await writeUsage(store, []);
    expect(await counts(store)).toEqual({ exchanges: 2, summed: 2 });
  });

  test('several processes add to the same sums', async () => {
    const place = await stores.newPlace();
    const opened = await Promise.all(Array.from({ length: 3 }, () => stores.open(place)));
    const recorders = opened.map((store) => recordUsage(store, { ...OPTIONS, batch: 10 }));
    for (let count = 0; count < 60; count += 1) {
      for (const { record } of recorders) record(exchange({ key: `key-${count % 7}` }));
    }
    expect(await Promise.all(recorders.map(({ close }) => close(15_000)))).toEqual([0, 0, 0]);
    const [store] = opened;
    expect(store && (await counts(store))).toEqual({ exchanges: 180, summed: 180 });
  });

  test('the queue is bounded, and dropped records are counted', async () => {
    const store = await stores.open();
    const { record, dropped, waiting, close } = recordUsage(store, { interval: 20, batch: 5, queue: 10 });
    for (let count = 0; count < 25; count += 1) record(exchange());
    // Five are being written.
    expect([waiting(), dropped()]).toEqual([15, 10]);
    expect(await close(5_000)).toBe(0);
    record(exchange());
    await soon(() => expect(dropped()).toBe(11));
    expect(await counts(store)).toEqual({ exchanges: 15, summed: 15 });
  });

  test('of a batch only the records that the store rejects are lost, and they are reported completely', async () => {
    const store = await stores.open();
    const told: string[] = [];
    const onTrouble = (message: string) => told.push(message);
    const { record, dropped, close } = recordUsage(store, { ...OPTIONS, onTrouble });
    for (let count = 0; count < 100; count += 1)
      record(exchange({ id: `req_${count}`, ...(count % 40 === 7 && { duration: Number.NaN }) }));
    expect(await close(15_000)).toBe(0);
    expect(dropped()).toBe(3);
    expect(await counts(store)).toEqual({ exchanges: 97, summed: 97 });
    expect(told).toHaveLength(3);
    for (const [at, id] of ['req_7', 'req_47', 'req_87'].entries()) {
      const [, why = '', rows = '[]'] =
        /^The store refuses the usage of an exchange: (.*?)\. It is recorded only here: (.*)$/.exec(
          told[at] ?? '',
        ) ?? [];
      expect(why).toContain('duration');
      expect(JSON.parse(rows)).toEqual([
        { ...rowOf(exchange({ id })), duration: null, batch: expect.any(String), place: 7 + 40 * at },
      ]);
    }
  });

  test('while the store is full nothing is lost, and the queue is written when it has room', async (context) => {
    if (stores.postgres() !== undefined) return context.skip();
    const store = await stores.open();
    const told: string[] = [];
    const onTrouble = (message: string) => told.push(message);
    const recovered: string[] = [];
    const onRecovered = (message: string) => recovered.push(message);
    const { record, waiting, dropped, close } = recordUsage(store, {
      ...OPTIONS,
      interval: 1,
      onTrouble,
      onRecovered,
    });
    // No more pages than it has now; later, as many as allowed.
    await sql`pragma max_page_count = 1`.execute(store.db);
    for (let count = 0; count < 500; count += 1) record(exchange());
    await soon(() => expect(told).toHaveLength(1));
    // Longer than it takes to give a batch up.
    await pause(200);
    expect([waiting(), dropped()]).toEqual([500, 0]);
    await sql`pragma max_page_count = 4294967294`.execute(store.db);
    await soon(async () => expect(await counts(store)).toEqual({ exchanges: 500, summed: 500 }));
    expect(told).toEqual(['Usage cannot be written to the store: database or disk is full']);
    expect(recovered).toEqual(['Usage can be written to the store again.']);
    expect(await close(5_000)).toBe(0);
  });

  test('old requests are deleted, the sums of their days are not', async () => {
    const store = await stores.open();
    const { record, close } = recordUsage(store, OPTIONS);
    for (const hour of [0, 5, 11, 12, 23])
      record(exchange({ time: Date.parse('2026-11-20') + hour * 3_600_000 }));
    await close(5_000);
    await deleteInPieces(store, { table: 'gateway_exchanges', by: ['time'], before: noon('2026-11-20') });
    expect(await counts(store)).toEqual({ exchanges: 2, summed: 5 });
  });

  test('a start deletes requests that are older than the configured retention', async () => {
    const place = await stores.newPlace();
    const store = await stores.open(place);
    const daysAgo = (days: number, at: number) =>
      rowOf(exchange({ id: `${days} days`, time: Math.round(Date.now() - days * 86_400_000) }), at);
    await writeUsage(store, [0, 29.9, 30.1, 400].map(daysAgo));
    const config = configSchema.parse({ usage: { keepDays: 30 } });
    const accounts = await openStoreAccess(await stores.open(place), config, openDiagnostics());
    const ids = async () =>
      (await store.db.selectFrom('gateway_exchanges').select('id').orderBy('place').execute()).map(
        ({ id }) => id,
      );
    await soon(async () => expect(await ids()).toEqual(['0 days', '29.9 days']));
    await accounts.close();
  });

  test('the requests of a busy hour are deleted in pieces, between which others can write', async () => {
    const store = await stores.open();
    const { record, close } = recordUsage(store, { ...OPTIONS, batch: 500, queue: 20_000 });
    for (let count = 0; count < 12_000; count += 1)
      record(exchange({ time: Date.parse('2026-11-20') + Math.floor(count / 10) }));
    expect(await close(30_000)).toBe(0);
    const deleted: bigint[] = [];
    const counting = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult({ result }) {
        if (result.numAffectedRows !== undefined) deleted.push(result.numAffectedRows);
        return Promise.resolve(result);
      },
    });
    await deleteInPieces(
      { db: counting },
      { table: 'gateway_exchanges', by: ['time'], before: noon('2026-11-20') },
    );
    expect(await counts(store)).toEqual({ exchanges: 0, summed: 12_000 });
    expect(deleted.filter((rows) => rows > 6_000n)).toEqual([]);
  });

  test('while the database is down nothing is lost, and the queue is written when it is back', async (context) => {
    const cluster = stores.postgres()?.cluster;
    if (cluster === undefined) return context.skip();
    const store = await stores.open();
    const told: string[] = [];
    const onTrouble = (message: string) => told.push(message);
    const recovered: string[] = [];
    const onRecovered = (message: string) => recovered.push(message);
    const { record, waiting, dropped, close } = recordUsage(store, { ...OPTIONS, onTrouble, onRecovered });
    record(exchange());
    await soon(async () => expect(await counts(store)).toEqual({ exchanges: 1, summed: 1 }));
    await cluster.stop();
    for (let count = 0; count < 250; count += 1) record(exchange());
    await soon(() => expect(told).toHaveLength(1));
    await pause(300);
    expect([waiting(), dropped()]).toEqual([250, 0]);
    await cluster.start();
    await soon(async () => expect(await counts(store)).toEqual({ exchanges: 251, summed: 251 }));
    expect(told).toEqual([expect.stringContaining('cannot be written')]);
    expect(recovered).toEqual(['Usage can be written to the store again.']);
    expect(await close(5_000)).toBe(0);
  });

  test('shutdown with the database down stays within its timeout', async (context) => {
    const cluster = stores.postgres()?.cluster;
    if (cluster === undefined) return context.skip();
    const store = await stores.open();
    const { record, close } = recordUsage(store, OPTIONS);
    await cluster.stop();
    record(exchange());
    expect(await close(300)).toBe(1);
    await cluster.start();
  });
});
