/** What keys have spent: the highest of the amounts known locally, in the store and in Redis. */

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { CompiledQuery, sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { openLimits } from '../../../src/access/limits/open-limits.ts';
import { Spending, type Spent } from '../../../src/access/limits/spending.ts';
import { storedByModel, storedSpending } from '../../../src/access/limits/stored-spending.ts';
import { writeUsage } from '../../../src/accounting/usage/write-usage.ts';
import { createGroup } from '../../../src/store/keys/groups.ts';
import { createKey } from '../../../src/store/keys/keys.ts';
import { exchange, rowOf } from '../../accounting/usage/records.ts';
import { recordUsage } from '../../support/record-usage.ts';
import { describeStores } from '../../support/stores.ts';

const NOON = Date.parse('2026-05-20T12:00:00Z');

/** US dollars of a day, its week, its month, and in total; by default of one month alone. */
function amounts(day: number, month: number, week = month, total = month): Spent {
  return { day, week, month, total };
}

test('a charge counts for its day and its month', async () => {
  let time = NOON;
  const spending = new Spending('spent', { now: () => time });
  spending.charge('team', 2, NOON);
  spending.charge('team', 0.5, NOON - 86_400_000);
  spending.charge('team', 9, Date.parse('2026-04-30T23:59:59Z'));
  expect(await spending.get('team')).toMatchObject({ day: 2, month: 2.5 });
  expect(await spending.get('other')).toMatchObject({ day: 0, month: 0 });
  time += 86_400_000;
  expect(await spending.get('team')).toMatchObject({ day: 0, month: 2.5 });
  time = Date.parse('2026-06-01T00:00:00Z');
  expect(await spending.get('team')).toMatchObject({ day: 0, month: 0 });
});

test('a clock that goes wrong for a moment leaves what is spent as it is', async () => {
  let time = NOON;
  const spending = new Spending('spent', { now: () => time });
  spending.charge('team', 2, time);
  for (const wrong of [86_400_000, -86_400_000, 12 * 86_400_000, 400 * 86_400_000]) {
    time = NOON + wrong;
    expect(await spending.get('team'), `${wrong}`).toMatchObject({ day: 0 });
    spending.charge('team', 0.5, time);
    expect(await spending.get('team'), `${wrong}`).toMatchObject({ day: 0.5 });
    time = NOON;
    expect(await spending.get('team'), `${wrong}`).toMatchObject({ day: 2 });
  }
  expect(await spending.get('team')).toMatchObject({ day: 2, week: 3, month: 3 });
});

test('a store that is slow to answer is queried again after its answer', async () => {
  vi.useFakeTimers();
  try {
    const answers: ((found: Map<string, Spent>) => void)[] = [];
    const stored = vi.fn(() => new Promise<Map<string, Spent>>((resolve) => answers.push(resolve)));
    const tell = async (): Promise<void> => {
      answers.shift()?.(new Map());
      await vi.advanceTimersByTimeAsync(0);
    };
    const opening = openLimits({ stored });
    await tell();
    const limits = await opening;
    const team = {
      name: 'team',
      restricted: false,
      allows: () => true,
      stored: 'all' as const,
      limits: { budgetDay: 1 },
    };
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    limits.admit({ principal: team, response, route: { format: 'messages' } });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stored).toHaveBeenCalledTimes(2);
    await tell();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stored).toHaveBeenCalledTimes(3);
    // The store must not be closed while it answers.
    const closed = vi.fn();
    const closing = limits.close().then(closed);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(closed).not.toHaveBeenCalled();
    await tell();
    await closing;
    expect(stored).toHaveBeenCalledTimes(3);
  } finally {
    vi.useRealTimers();
  }
});

test('spending of other processes is read from the store, and nothing counts twice', async () => {
  let stored = new Map<string, Spent>([['team', amounts(1, 5)]]);
  const spending = new Spending('spent', { now: () => NOON, stored: async () => stored });
  await spending.refresh();
  spending.charge('team', 2, NOON);
  expect(await spending.get('team')).toMatchObject({ day: 3, month: 7 });
  // The store has it a moment later.
  await spending.refresh();
  expect(await spending.get('team')).toMatchObject({ day: 3, month: 7 });
  stored = new Map([['team', amounts(3, 7)]]);
  await spending.refresh();
  expect(await spending.get('team')).toMatchObject({ day: 3, month: 7 });
  stored = new Map([['team', amounts(4, 8)]]);
  expect(await spending.get('team')).toMatchObject({ day: 3, month: 7 });
  await spending.refresh();
  expect(await spending.get('team')).toMatchObject({ day: 4, month: 8 });
});

test('an amount of one day is not taken for the next day’s if the store answers after midnight', async () => {
  let time = Date.parse('2026-05-31T23:59:59Z');
  const spending = new Spending('spent', {
    now: () => time,
    stored: async () => new Map([['team', amounts(5, 5)]]),
  });
  await spending.refresh();
  expect(await spending.get('team')).toMatchObject({ day: 5, month: 5 });
  const telling = spending.refresh();
  time += 1_000;
  await telling;
  expect(await spending.get('team')).toMatchObject({ day: 0, month: 0 });
});

test('the store is queried for all keys once, then for those used today or the day before', async () => {
  let time = NOON;
  const asked: (readonly string[] | undefined)[] = [];
  const spending = new Spending('spent', {
    now: () => time,
    async stored(_, keys) {
      asked.push(keys && [...keys]);
      return new Map();
    },
  });
  await spending.refresh();
  for (const key of ['monday', 'tuesday', 'wednesday']) {
    spending.get(key);
    await spending.refresh();
    time += 86_400_000;
  }
  await spending.refresh();
  time += 86_400_000;
  await spending.refresh();
  // No key was used on Thursday: on Friday there is nothing to query.
  expect(asked).toEqual([
    undefined,
    ['monday'],
    ['monday', 'tuesday'],
    ['tuesday', 'wednesday'],
    ['wednesday'],
  ]);
});

describeStores('what the store has of it', ({ open }) => {
  test('is summed up by key, for the month and for its last day', async () => {
    const store = await open();
    const recorder = recordUsage(store, { interval: 5, batch: 10, queue: 100 });
    const spend = (key: string, cost: number, day: string, more: object = {}) =>
      recorder.record(exchange({ key, cost, time: Date.parse(`${day}T10:00:00Z`), ...more }));
    spend('team', 1.5, '2026-05-20');
    spend('team', 0.25, '2026-05-20');
    // Usage that the vendor did not report was charged, and still is after a restart.
    spend('team', 0, '2026-05-20', { cost: undefined, estimated: { tokens: 1_000, cost: 0.125 } });
    spend('team', 4, '2026-05-01');
    spend('team', 100, '2026-04-30');
    spend('other', 3, '2026-05-19');
    expect(await recorder.close(5_000)).toBe(0);
    const found = await storedSpending(store)('2026-05-20');
    expect(await storedSpending(store)('2026-05-20', new Set(['other', 'unknown']))).toEqual(
      new Map([['other', amounts(0, 3)]]),
    );
    expect(found).toEqual(
      new Map([
        ['team', amounts(1.875, 5.875, 1.875, 105.875)],
        ['other', amounts(0, 3)],
      ]),
    );
  });

  test('spending before a day is read once for that day, not with every query', async () => {
    const store = await open();
    const recorder = recordUsage(store, { interval: 10, batch: 100, queue: 1_000 });
    const spend = (cost: number, day: string) =>
      recorder.record(exchange({ key: 'team', cost, time: Date.parse(`${day}T12:00:00Z`) }));
    spend(4, '2026-05-19');
    spend(1, '2026-05-20');
    expect(await recorder.close(5_000)).toBe(0);
    const read: string[] = [];
    const db = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult({ result }) {
        read.push(result.rows.map(({ day, month, total }) => String(day ?? month ?? total)).join());
        return Promise.resolve(result);
      },
    });
    const stored = storedSpending({ ...store, db });
    const team = new Set(['team']);
    for (let count = 0; count < 3; count += 1)
      expect(await stored('2026-05-20', team)).toEqual(new Map([['team', amounts(1, 5)]]));
    // The day is read again each time.
    expect(read).toEqual(['4', '1', '5', '1', '1', '1']);
    expect(await stored('2026-05-21', team)).toEqual(new Map([['team', amounts(0, 5)]]));
    expect(await stored('2026-06-01', team)).toEqual(new Map([['team', amounts(0, 0, 0, 5)]]));
  });

  test('a total grows with the day, and is not read again', async () => {
    const store = await open();
    const asked: string[] = [];
    const db = store.db.withPlugin({
      transformQuery({ node, queryId }) {
        asked.push(store.db.getExecutor().compileQuery(node, queryId).sql);
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const spend = async (cost: number, group: string, time: string): Promise<void> => {
      const recorder = recordUsage(store, { interval: 10, batch: 100, queue: 1_000 });
      recorder.record(exchange({ key: 'member', group, cost, time: Date.parse(time) }));
      expect(await recorder.close(5_000)).toBe(0);
    };
    await spend(4, 'team', '2026-05-19T12:00:00Z');
    await spend(1, 'team', '2026-05-20T12:00:00Z');
    const names = new Set(['team', 'late']);
    const readers = [
      storedSpending({ ...store, db }, 'group'),
      async (day: string) => {
        const found = await byModel(day, names);
        return new Map(
          [...found].flatMap(([name, models]) => [...models.values()].map((one) => [name, one])),
        );
      },
    ];
    const byModel = storedByModel({ ...store, db }, 'group');
    for (const read of readers)
      expect(await read('2026-05-20', names)).toEqual(new Map([['team', amounts(1, 5)]]));
    await spend(2, 'team', '2026-05-20T13:00:00Z');
    await spend(3, 'late', '2026-05-20T13:00:00Z');
    asked.length = 0;
    for (const read of readers)
      expect(await read('2026-05-20', names)).toEqual(
        new Map([
          ['team', amounts(3, 7)],
          ['late', amounts(3, 3)],
        ]),
      );
    expect(asked.filter((text) => text.includes('gateway_spent'))).toEqual([]);
  });

  test('comes in pieces, so that callers do not wait while all of it is read', async () => {
    const store = await open();
    const names = Array.from({ length: 6_000 }, (_, at) => `key-${at}`);
    const row = rowOf(exchange({ cost: 4, time: Date.parse('2026-05-19T12:00:00Z') }));
    const today = rowOf(exchange({ cost: 1, time: Date.parse('2026-05-20T12:00:00Z') }));
    const rows = names.flatMap((key) => [
      { ...row, key },
      { ...today, key },
    ]);
    for (let at = 0; at < rows.length; at += 500)
      await writeUsage(
        store,
        rows.slice(at, at + 500).map((each, place) => ({ ...each, batch: `${at}`, place })),
      );
    const read: number[] = [];
    const db = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult({ result }) {
        read.push(result.rows.length);
        return Promise.resolve(result);
      },
    });
    const stored = storedSpending({ ...store, db });
    const all = new Map(names.map((name) => [name, amounts(1, 5)]));
    expect(new Map([...(await stored('2026-05-20'))].toSorted())).toEqual(new Map([...all].toSorted()));
    expect(await stored('2026-05-20', new Set(names))).toEqual(all);
    expect(Math.max(...read)).toBeLessThanOrEqual(2_000);
  });

  test('of groups comes by ranges of keys, since to look for a range of groups is to read whole days', async () => {
    const store = await open();
    const row = rowOf(exchange({ group: 'team', cost: 4, time: Date.parse('2026-05-19T12:00:00Z') }));
    const today = rowOf(exchange({ group: 'team', cost: 1, time: Date.parse('2026-05-20T12:00:00Z') }));
    const rows = Array.from({ length: 3_000 }, (_, at) => [
      { ...row, key: `key-${at}` },
      { ...today, key: `key-${at}`, group_name: `team-${at}` },
    ]).flat();
    for (let at = 0; at < rows.length; at += 500)
      await writeUsage(
        store,
        rows.slice(at, at + 500).map((each, place) => ({ ...each, batch: `${at}`, place })),
      );
    const read: string[] = [];
    const db = store.db.withPlugin({
      transformQuery({ node, queryId }) {
        read.push(store.db.getExecutor().compileQuery(node, queryId).sql);
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const found = await storedSpending({ ...store, db }, 'group')('2026-05-20');
    expect(found.size).toBe(3_001);
    expect(found.get('team')).toEqual(amounts(0, 12_000));
    expect(found.get('team-2999')).toEqual(amounts(1, 1));
    const days = read.filter((each) => each.includes('gateway_usage_groups') && each.includes('cost'));
    expect(days.length).toBeGreaterThan(2);
    for (const each of days) expect(each).toMatch(/"key" (?:>=|<)/);
  });

  test('on each model is read of those who have limits for some models, and of others when they are named', async () => {
    const store = await open();
    for (const name of ['limited', 'other']) await createKey(store, name);
    await store.db
      .updateTable('gateway_keys')
      .set({ model_limits: '[]' })
      .where('name', '=', 'limited')
      .execute();
    const names = ['configured', 'idp/caller', 'limited', 'other'];
    const days = ['2026-05-19', '2026-05-20'];
    const rows = names.flatMap((key) =>
      days.map((day) => rowOf(exchange({ key, cost: 2, time: Date.parse(`${day}T12:00:00Z`) }))),
    );
    await writeUsage(
      store,
      rows.map((each, place) => ({ ...each, place })),
    );
    const stored = sql<boolean>`model_limits is not null`;
    const read = storedByModel(store, 'key', { stored, names: ['configured'], beginnings: ['idp/'] });
    const { model = '' } = rows[0] ?? {};
    const spent = (...those: string[]) =>
      new Map(those.map((name) => [name, new Map([[model, amounts(2, 4)]])]));
    const all = await read('2026-05-20');
    expect(new Map([...all].toSorted())).toEqual(spent('configured', 'idp/caller', 'limited'));
    for (let count = 0; count < 2; count += 1)
      expect(await read('2026-05-20', new Set(['limited', 'other', 'unknown']))).toEqual(
        spent('limited', 'other'),
      );
  });

  test('on each model is read of those alone that have limits for some models', async (context) => {
    const store = await open();
    if (store.kind !== 'sqlite') return context.skip();
    const row = rowOf(exchange({ group: 'team', cost: 4, time: NOON }));
    for (const [batch, group_name] of ['one', 'two'].entries())
      await writeUsage(
        store,
        Array.from({ length: 1_500 }, (_, at) => ({
          ...row,
          batch: `${batch}`,
          place: at,
          group_name,
          model: `openai/${at}`,
        })),
      );
    await createGroup(store, 'one', { model_limits: '[]' });
    await createGroup(store, 'two', { model_limits: '[]' });
    const asked: CompiledQuery[] = [];
    const db = store.db.withPlugin({
      transformQuery({ node, queryId }) {
        asked.push(store.db.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const stored = sql<boolean>`model_limits is not null`;
    const found = await storedByModel({ ...store, db }, 'group', { stored })('2026-05-20');
    expect([...found].map(([name, models]) => [name, models.size])).toEqual([
      ['one', 1_500],
      ['two', 1_500],
    ]);
    expect(found.get('two')?.get('openai/1499')).toEqual(amounts(4, 4));
    const plans = [];
    for (const { sql: text, parameters } of asked.filter((each) => each.sql.includes('gateway_spent'))) {
      const plan = await store.db.executeQuery<{ detail: string }>(
        CompiledQuery.raw(`explain query plan ${text}`, [...parameters]),
      );
      plans.push(plan.rows.map(({ detail }) => detail).filter((each) => each.includes('gateway_spent')));
    }
    // One query for a hundred of them, and none that walks over the totals of all others.
    expect(plans).toEqual([[expect.stringContaining('name=?')]]);
  });

  test('a late write for an earlier day is found some minutes later', async () => {
    const store = await open();
    const row = rowOf(exchange({ key: 'team', cost: 4, time: Date.parse('2026-05-19T12:00:00Z') }));
    const write = (batch: string) => writeUsage(store, [{ ...row, batch }]);
    await write('in time');
    const stored = storedSpending(store);
    expect(await stored('2026-05-20')).toEqual(new Map([['team', amounts(0, 4)]]));
    // From a process that could not reach the store for hours.
    await write('late');
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 900_000);
    try {
      expect(await stored('2026-05-20')).toEqual(new Map([['team', amounts(0, 8)]]));
    } finally {
      now.mockRestore();
    }
  });

  test('is found for any number of keys', async () => {
    const store = await open();
    const time = Date.parse('2026-05-20T12:00:00Z');
    await writeUsage(store, [rowOf(exchange({ key: 'session-3', cost: 4, time }))]);
    const keys = new Set(Array.from({ length: 70_000 }, (_, at) => `session-${at}`));
    expect(await storedSpending(store)('2026-05-20', keys)).toEqual(new Map([['session-3', amounts(4, 4)]]));
  });
});
