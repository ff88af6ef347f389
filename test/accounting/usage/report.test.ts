import { expect, test } from 'vitest';
import { reportUsage } from '../../../src/accounting/usage/report.ts';
import type { UsageQuery } from '../../../src/accounting/usage/usage-dimensions.ts';
import { lineView, usageLine } from '../../../src/accounting/usage/usage-view.ts';
import { writeUsage } from '../../../src/accounting/usage/write-usage.ts';
import type { Store } from '../../../src/store/store.ts';
import { describeStores } from '../../support/stores.ts';
import { exchange, noon, rowOf } from './records.ts';

const EXCHANGES = [
  exchange({ time: noon('2026-11-18'), key: 'a', cost: 0.1 }),
  exchange({ time: noon('2026-11-19'), key: 'a', cost: 0.2, duration: 3_000, firstByte: 400 }),
  exchange({
    time: noon('2026-11-19'),
    key: 'b',
    cost: 5,
    model: 'anthropic/claude-sonnet-4-5',
    vendor: 'anthropic',
  }),
  exchange({ time: noon('2026-11-20'), key: 'b', cost: 0.4, status: 502, outcome: 'failed' }),
  exchange({ time: Date.parse('2026-11-20T23:59:59.999Z'), key: 'b', cost: 0.5, status: 429 }),
  exchange({ time: Date.parse('2026-11-21T00:00:00Z'), key: 'c', cost: 1 }),
];

const ALL: UsageQuery = { from: '2026-11-18', to: '2026-11-21', by: ['key'], limit: 100 };

async function filled(store: Store): Promise<Store> {
  const { cost, ...uncounted } = exchange({
    time: noon('2026-11-18'),
    key: 'a',
    usage: {},
    outcome: 'client-closed',
    estimated: { tokens: 900, cost: 0.25 },
  });
  const all = [...EXCHANGES, uncounted];
  await writeUsage(store, all.map(rowOf));
  expect(cost).toBeDefined();
  return store;
}

describeStores('a report', (stores) => {
  test('by key', async () => {
    const { lines, total, more } = await reportUsage(await filled(await stores.open()), ALL);
    expect(lines.map(lineView)).toEqual([
      {
        key: 'b',
        requests: 3,
        errors: 2,
        uncounted: 0,
        input_tokens: 300,
        output_tokens: 60,
        reasoning_tokens: 15,
        cache_read_tokens: 120,
        cache_write_tokens: 0,
        cost: 5.9,
        estimated_cost: 0,
        mean_duration: 1_000,
        mean_first_byte: 200,
      },
      expect.objectContaining({ key: 'c', requests: 1, cost: 1 }),
      expect.objectContaining({
        key: 'a',
        requests: 3,
        errors: 0,
        uncounted: 1,
        cost: 0.3,
        estimated_cost: 0.25,
        mean_duration: 1_666.7,
        mean_first_byte: 266.7,
      }),
    ]);
    for (const line of lines) usageLine.parse(lineView(line));
    expect(total).toMatchObject({ requests: 7, errors: 2, uncounted: 1, input: 600 });
    expect(total.cost).toBeCloseTo(7.2, 9);
    expect(more).toBe(false);
  });

  test.each<[Partial<UsageQuery>, unknown[]]>([
    [
      { by: ['day'] },
      [
        { day: '2026-11-21', cost: 1 },
        { day: '2026-11-20', cost: 0.9 },
        { day: '2026-11-19', cost: 5.2 },
        { day: '2026-11-18', cost: 0.1 },
      ],
    ],
    [
      { by: ['model', 'vendor'], from: '2026-11-19', to: '2026-11-19' },
      [
        { model: 'anthropic/claude-sonnet-4-5', vendor: 'anthropic', cost: 5 },
        { model: 'openai/gpt-4o', vendor: 'openai', cost: 0.2 },
      ],
    ],
    [
      { by: ['day', 'key'], from: '2026-11-19', to: '2026-11-20' },
      [
        { day: '2026-11-20', key: 'b', cost: 0.9 },
        { day: '2026-11-19', key: 'b', cost: 5 },
        { day: '2026-11-19', key: 'a', cost: 0.2 },
      ],
    ],
    [{ key: 'a' }, [{ key: 'a', cost: 0.3 }]],
    [
      { model: 'openai/gpt-4o' },
      [
        { key: 'c', cost: 1 },
        { key: 'b', cost: 0.9 },
        { key: 'a', cost: 0.3 },
      ],
    ],
    [{ from: '2026-12-01', to: '2026-12-31' }, []],
  ])('%j', async (asked, expected) => {
    const { lines } = await reportUsage(await filled(await stores.open()), { ...ALL, ...asked });
    expect(lines.map(lineView)).toEqual(expected.map((line) => expect.objectContaining(line)));
    expect(lines.map(({ of }) => Object.keys(of))).toEqual(lines.map(() => [...(asked.by ?? ALL.by)]));
  });

  test('of more lines than the limit, the first ones, and the sum of all', async () => {
    const store = await filled(await stores.open());
    const { lines, total, more } = await reportUsage(store, { ...ALL, limit: 2 });
    expect(lines.map(({ of }) => of)).toEqual([{ key: 'b' }, { key: 'c' }]);
    expect(total.requests).toBe(7);
    expect(more).toBe(true);
    const all = await reportUsage(store, { ...ALL, limit: 3 });
    expect([all.lines.length, all.more]).toEqual([3, false]);
  });

  test.each([
    ['answered', {}, { errors: 0, uncounted: 0 }],
    ['answered, without a usage', { cost: undefined }, { errors: 0, uncounted: 1 }],
    ['refused', { status: 400, cost: undefined }, { errors: 1, uncounted: 0 }],
    ['broken off', { outcome: 'failed' }, { errors: 1, uncounted: 0 }],
    ['a count of tokens', { operation: 'count-tokens', cost: undefined }, { errors: 0, uncounted: 0 }],
    ['a stored response', { operation: 'retrieve', cost: undefined }, { errors: 0, uncounted: 0 }],
    [
      'left before a vendor was asked',
      { attempts: 0, outcome: 'client-closed', cost: undefined },
      { errors: 0, uncounted: 0 },
    ],
  ] as const)('of one with status %s', async (_, otherwise, counted) => {
    const store = await stores.open();
    const { cost, ...rest } = { ...exchange({ time: noon('2026-11-18') }), ...otherwise };
    const record = cost === undefined ? rest : { ...rest, cost };
    await writeUsage(store, [rowOf(record)]);
    expect((await reportUsage(store, ALL)).total).toMatchObject({ requests: 1, ...counted });
  });

  test('the time to the first byte is averaged over requests that have one, the time to the end over all', async () => {
    const store = await stores.open();
    const time = noon('2026-11-18');
    const { firstByte, ...refused } = exchange({
      time,
      status: 404,
      outcome: 'refused',
      attempts: 0,
      duration: 3,
    });
    const answered = [200, 300].map((firstByte) => exchange({ time, firstByte, duration: 900 }));
    const records = [...answered, refused];
    await writeUsage(store, records.map(rowOf));
    const [line] = (await reportUsage(store, ALL)).lines.map(lineView);
    expect(line).toMatchObject({ requests: 3, mean_first_byte: 250, mean_duration: 601 });
    expect(firstByte).toBeDefined();
  });

  test('of no requests', async () => {
    const { lines, total } = await reportUsage(await stores.open(), ALL);
    expect(lines).toEqual([]);
    expect(Object.values(total)).toEqual(Object.values(total).map(() => 0));
  });
});
