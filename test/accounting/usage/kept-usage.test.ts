/** What is kept of usage, for how long, and how much of it a report reads. */

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_TAGS, OTHER_TAGS } from '../../../src/access/limits/tag-bound.ts';
import { batchRows } from '../../../src/accounting/usage/batches.ts';
import { deleteOldSums, firstKept } from '../../../src/accounting/usage/delete-old-sums.ts';
import { scheduleUsageDeletion } from '../../../src/accounting/usage/delete-old-usage.ts';
import { ERASED } from '../../../src/accounting/usage/erase-caller.ts';
import { reportUsage } from '../../../src/accounting/usage/report.ts';
import { planPieces } from '../../../src/accounting/usage/report-sources.ts';
import type { Dimension, UsageQuery } from '../../../src/accounting/usage/usage-dimensions.ts';
import { writeUsage } from '../../../src/accounting/usage/write-usage.ts';
import { addDays, formatDay } from '../../../src/lib/calendar.ts';
import { logToStderr } from '../../../src/lib/diagnostics.ts';
import { createAdminApp } from '../../../src/server/http/admin/app.ts';
import { erased } from '../../../src/server/http/admin/erase-route.ts';
import { listAudit } from '../../../src/store/audit.ts';
import { freeSpace } from '../../../src/store/free-space.ts';
import { createKey, revokeKey } from '../../../src/store/keys/keys.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { ROLLUPS } from '../../../src/store/usage-sums.ts';
import { admitByKey, serveApp } from '../../support/admin.ts';
import { runCommand } from '../../support/command.ts';
import { soon } from '../../support/soon.ts';
import { describeStores } from '../../support/stores.ts';
import { exchange, noon, rowOf } from './records.ts';

const DAY = fc.integer({ min: 0, max: 500 }).map((days) => addDays('2025-06-15', days));

test('the pieces of a report count each of its days once, and no other', () => {
  fc.assert(
    fc.property(DAY, DAY, (one, other) => {
      const [from, to] = one < other ? [one, other] : [other, one];
      const counts = new Map<string, number>();
      let read = 0;
      for (const piece of planPieces(from, to)) {
        const first = piece.unit === 'day' ? piece.from : `${piece.from}-01`;
        const last = piece.unit === 'day' ? piece.to : addDays(`${piece.to}-01`, 31);
        for (let day = first; day <= last; day = addDays(day, 1)) {
          if (piece.unit === 'month' && day.slice(0, 7) > piece.to) break;
          counts.set(day, (counts.get(day) ?? 0) + piece.sign);
          if (piece.unit === 'day') read += 1;
        }
      }
      const counted = [...counts].filter(([, count]) => count !== 0).toSorted();
      const wanted: [string, number][] = [];
      for (let day = from; day <= to; day = addDays(day, 1)) wanted.push([day, 1]);
      expect(counted).toEqual(wanted);
      // However long the span is: half a month at either end, if those days are not in the future.
      if (to < formatDay(Date.now())) expect(read).toBeLessThanOrEqual(32);
    }),
  );
});

/** A record for each of some keys, models, groups and tags on some days, with costs that have no rounding errors. */
function manyRecords() {
  return ['2026-03-31', '2026-04-01', '2026-04-20', '2026-05-02', '2026-05-31'].flatMap((day, at) =>
    ['one', 'two', 'three'].flatMap((key, index) =>
      ['a/x', 'a/y'].map((model, kind) => ({
        ...exchange({
          key,
          model,
          time: noon(day),
          cost: 2 ** (at + index) * (kind + 1),
          vendor: at === 2 && kind === 1 ? 'sandbox' : 'a',
        }),
        ...(index > 0 && { group: at > 2 ? 'late' : 'early' }),
        ...(kind === 0 && { tag: `tag-${at % 2}` }),
      })),
    ),
  );
}

/** The cost by these dimensions, as a judge that reads single exchanges would say it. */
function judge(query: UsageQuery): Record<string, number> {
  const lines: Record<string, number> = {};
  for (const { key, model, vendor = '', group = '', tag = '', time, cost = 0 } of manyRecords()) {
    const of = { day: formatDay(time), key, model: model ?? '', vendor, group, tag };
    if (of.day < query.from || of.day > query.to || vendor === 'sandbox') continue;
    if (
      (['key', 'model', 'group', 'tag'] as const).some(
        (one) => query[one] !== undefined && query[one] !== of[one],
      )
    )
      continue;
    const place = query.by.map((dimension) => of[dimension]).join();
    lines[place] = (lines[place] ?? 0) + cost;
  }
  return lines;
}

async function fill(store: Store): Promise<void> {
  const rows = manyRecords().map((record, place) => rowOf(record, place));
  await writeUsage(store, rows);
}

describeStores('reports from sums of sums', ({ open, newPlace }) => {
  test('say what single exchanges say, whatever they are grouped by and for whatever days', async () => {
    const store = await open();
    await fill(store);
    const BY: readonly (readonly Dimension[])[] = [
      ['day'],
      ['model'],
      ['key'],
      ['key', 'model'],
      ['day', 'model'],
      ['day', 'key'],
      ['group', 'key'],
      ['day', 'group'],
      ['tag'],
      ['day', 'tag', 'vendor'],
    ];
    const SPANS = [
      ['2026-03-01', '2026-05-31'],
      ['2026-03-31', '2026-05-02'],
      ['2026-04-02', '2026-04-30'],
      ['2026-04-20', '2026-04-20'],
      ['2026-04-05', '2026-05-30'],
    ] as const;
    const ONLY = [{}, { key: 'two' }, { model: 'a/x' }, { group: 'late' }, { tag: 'tag-1' }];
    for (const by of BY)
      for (const [from, to] of SPANS)
        for (const only of ONLY) {
          if (('tag' in only && by.includes('group')) || ('group' in only && by.includes('tag'))) continue;
          const query = { from, to, by, limit: 100, ...only };
          const { lines, total } = await reportUsage(store, query);
          const wanted = judge(query);
          const told = lines.map(({ of, sums }) => [by.map((one) => of[one]).join(), sums.cost]);
          expect(Object.fromEntries(told), JSON.stringify(query)).toEqual(wanted);
          expect(total.cost).toBe(Object.values(wanted).reduce((sum, cost) => sum + cost, 0));
        }
  });

  test('are mended, as are the totals, if processes of an earlier version have not written them', async () => {
    const place = await newPlace();
    const [store, other] = [await open(place), await open(place)];
    const today = formatDay(Date.now());
    const record = { time: noon(today), group: 'g', tag: 't', cost: 2, estimatedCost: 0.5 };
    const others = [...ROLLUPS.map(({ table }) => table), 'gateway_spent'] as const;
    const read = () => Promise.all(others.map((table) => store.db.selectFrom(table).selectAll().execute()));
    const listed = async () =>
      (await read()).map((rows) => rows.map((row) => JSON.stringify(row)).toSorted());
    await writeUsage(store, [rowOf(exchange(record))]);
    const before = await read();
    await writeUsage(store, [rowOf(exchange(record), 1), rowOf(exchange({ ...record, key: 'k2' }), 2)]);
    const wanted = await listed();
    for (const [at, table] of others.entries()) {
      await store.db.deleteFrom(table).execute();
      for (const row of before[at] ?? []) await store.db.insertInto(table).values(row).execute();
    }
    const troubles: unknown[] = [];
    // Two replicas begin at the same time.
    const keeping = [store, other].map((each) =>
      scheduleUsageDeletion(each, { keepDays: 90, timeZone: 'UTC' }, (error) => troubles.push(error)),
    );
    try {
      await soon(async () => expect(await listed()).toEqual(wanted));
    } finally {
      await Promise.all(keeping.map((each) => each.stop()));
    }
    expect(troubles).toEqual([]);
    expect(await listed()).toEqual(wanted);
  });

  test('sums are deleted by whole months, and what was ever spent stays', async () => {
    const store = await open();
    await fill(store);
    const before = await reportUsage(store, { from: '2026-05-01', to: '2026-05-31', by: ['key'], limit: 9 });
    const spent = await store.db.selectFrom('gateway_spent').selectAll().execute();
    await deleteOldSums(store, firstKept('2026-06-10', 30));
    const query: UsageQuery = { from: '2026-01-01', to: '2026-12-31', by: ['key'], limit: 9 };
    expect(await reportUsage(store, query)).toEqual(before);
    expect((await reportUsage(store, { ...query, by: ['tag'] })).total).toEqual(before.total);
    expect((await reportUsage(store, { ...query, by: ['day'] })).total).toEqual(before.total);
    expect(await store.db.selectFrom('gateway_spent').selectAll().execute()).toEqual(spent);
  });

  test('a caller is erased, and the sums of models and groups stay', async () => {
    const store = await open();
    await fill(store);
    const admin = await serveApp(
      createAdminApp(store, { admit: admitByKey('an-admin-key-for-erasing'), problem: logToStderr }),
    );
    const erase = (query: string) =>
      fetch(`${admin.url}/admin/usage?${query}`, {
        method: 'DELETE',
        headers: { authorization: 'Bearer an-admin-key-for-erasing' },
      });
    const costs = async (by: readonly Dimension[]) => {
      const { lines } = await reportUsage(store, { from: '2026-01-01', to: '2026-12-31', by, limit: 99 });
      return Object.fromEntries(lines.map(({ of, sums }) => [by.map((one) => of[one]).join(), sums.cost]));
    };
    try {
      const made = await createKey(store, 'two');
      expect((await erase('key=two')).status).toBe(409);
      await revokeKey(store, made?.row.id ?? '');
      const [models, groups, keys] = [await costs(['model']), await costs(['group']), await costs(['key'])];
      expect(erased.parse(await (await erase('key=two')).json()).exchanges).toBe(10);
      await erase('key=three');
      const { one = 0, two = 0, three = 0 } = keys;
      expect(await costs(['key'])).toEqual({ one, [ERASED]: two + three });
      expect(await costs(['model'])).toEqual(models);
      expect(await costs(['group'])).toEqual(groups);
      expect(await costs(['day', 'key'])).not.toHaveProperty('2026-04-01,two');

      const tags = await costs(['tag']);
      expect(tags).toHaveProperty('tag-1');
      await erase('tag=tag-1');
      expect(Object.keys(await costs(['tag']))).toEqual(expect.not.arrayContaining(['tag-1']));
      expect(await costs(['model'])).toEqual(models);
      for (const table of [
        'gateway_exchanges',
        'gateway_usage_days',
        'gateway_spent',
        'gateway_keys',
      ] as const) {
        const rows = JSON.stringify(await store.db.selectFrom(table).selectAll().execute());
        for (const name of ['"two"', '"three"', 'tag-1']) expect(rows).not.toContain(name);
      }
      const trail = await listAudit(store, { limit: 9 });
      expect(trail.rows.map(({ action, target }) => `${action} ${target}`)).toEqual([
        'tag.erased tag-1',
        'caller.erased three',
        'caller.erased two',
        'key.revoked two',
        'key.created two',
      ]);
    } finally {
      await admin.close();
    }
  });
});

test('a key has a bounded number of tags a day in the store', () => {
  const tags = new Set<unknown>();
  const batches = batchRows({ interval: 60_000, batch: 100_000 }, ({ rows }) => {
    for (const { tag } of rows) tags.add(tag);
  });
  for (let count = 0; count < MAX_TAGS + 50; count += 1) batches.record(exchange({ tag: `user-${count}` }));
  batches.flush();
  expect(tags.size).toBe(MAX_TAGS + 1);
  expect(tags).toContain(OTHER_TAGS);
  // The next day has room again.
  tags.clear();
  batches.record(exchange({ tag: 'another', time: noon('2026-11-21') }));
  batches.flush();
  expect([...tags]).toEqual(['another']);
});

test.each([false, true])(
  'the file of SQLite gives space back; one of an earlier version: %s',
  async (isOld) => {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-space-'));
    const path = join(directory, '.gateway', 'gateway.db');
    await (await openStore({ path })).close();
    if (isOld) {
      const file = new DatabaseSync(path);
      file.exec('pragma auto_vacuum = none; vacuum');
      file.close();
    }
    const fillAndEmpty = async (): Promise<void> => {
      const store = await openStore({ path });
      const rows = Array.from({ length: 5_000 }, (_, at) => rowOf(exchange({ id: 'x'.repeat(200) }), at));
      await writeUsage(store, rows);
      await store.db.deleteFrom('gateway_exchanges').execute();
      await freeSpace(store);
      await store.close();
    };
    await fillAndEmpty();
    if (isOld) {
      expect((await stat(path)).size).toBeGreaterThan(1_000_000);
      expect((await runCommand(directory, ['store', 'shrink'])).stderr).toMatch(
        /^The store had \d{7} bytes and has \d{6} now\.\n$/,
      );
      await fillAndEmpty();
    }
    expect((await stat(path)).size).toBeLessThan(400_000);
    await rm(directory, { recursive: true });
  },
);

test('`gateway erase` erases a caller once its key is revoked', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-erase-'));
  const store = await openStore({ path: join(directory, '.gateway', 'gateway.db') });
  const made = await createKey(store, 'two');
  await fill(store);
  const erase = (...words: string[]) => runCommand(directory, ['erase', ...words]);
  expect((await erase('--key=two')).stderr).toContain('The key two is still in use. First revoke it');
  await revokeKey(store, made?.row.id ?? '');
  expect(await erase('--key=two')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Erased two: 10 requests/),
  });
  expect(await erase('--key=two')).toMatchObject({
    code: 0,
    stderr: 'Nothing to erase: no recorded usage names two.\n',
  });
  expect((await erase()).code).toBe(1);
  await store.close();
  await rm(directory, { recursive: true });
});
