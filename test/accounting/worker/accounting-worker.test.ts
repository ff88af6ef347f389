/** The accounting worker, from the records of requests to charges, log lines, metrics and rows. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import type { Consumption } from '../../../src/access/limits/consumption.ts';
import { NO_FIGURES } from '../../../src/accounting/metrics/counter-figures.ts';
import { AccountingWorker } from '../../../src/accounting/worker/accounting-worker.ts';
import { parseJson } from '../../../src/lib/json.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { soon } from '../../support/soon.ts';
import { closedLedger } from './ledgers.ts';

const told = {
  charged: [] as Consumption[],
  lines: [] as string[],
  troubles: [] as string[],
  notes: [] as string[],
};
let directory: string;
let store: Store;
let accounting: AccountingWorker;

async function open(
  options: { batch?: number; interval?: number; queue?: number; spool?: number } = {},
): Promise<void> {
  for (const list of Object.values(told)) list.length = 0;
  directory = await mkdtemp(join(tmpdir(), 'gateway-accounting-'));
  store = await openStore({ path: join(directory, 'gateway.db') });
  accounting = new AccountingWorker(
    { interval: 50, batch: 500, queue: 10_000, spool: 0, lines: 'json', store: store.place, ...options },
    {
      charge: (consumption) => void told.charged.push(consumption),
      log: (lines) => void told.lines.push(...lines.toString().trimEnd().split('\n')),
      problem: (message) => void told.troubles.push(message),
      info: (message) => void told.notes.push(message),
    },
  );
  await answered();
}

/** Resolves once the thread has started: on a busy machine that takes longer than the timeout for metrics. */
async function answered(): Promise<void> {
  while ((await accounting.figures()) === NO_FIGURES);
}
afterEach(async () => {
  await accounting.close(5_000);
  await store.close();
  await rm(directory, { recursive: true });
});

const requests = async (): Promise<number> =>
  (await accounting.figures()).requests.reduce((sum, { count }) => sum + count, 0);

const rows = () =>
  store.db.selectFrom('gateway_exchanges').selectAll().orderBy('batch').orderBy('place').execute();

/** A time that no calendar has, so processing it fails. */
const UNPROCESSABLE = closedLedger({ time: 9e15 });

test('what a record held is given back after it was charged, in order, also if it cannot be processed', async () => {
  await open();
  const seen: string[] = [];
  const note = (id: string) => () => void seen.push(`${id} ${told.charged.length}`);
  accounting.record(closedLedger({ id: 'req_a' }), note('a'));
  accounting.record(closedLedger({ id: 'req_b' }));
  await soon(() => expect(seen).toEqual(['a 1']));
  accounting.record(UNPROCESSABLE, note('c'));
  accounting.record(closedLedger({ id: 'req_d', key: 'other' }), note('d'));
  await soon(() => expect(seen).toEqual(['a 1', 'c 2', 'd 2']));
  await accounting.close(5_000);
  accounting.record(closedLedger({ id: 'req_e' }), note('e'));
  expect(seen.at(-1)).toBe('e 2');
});

test('records are counted, charged, logged and written', async () => {
  await open();
  accounting.record(closedLedger({ id: 'req_a' }));
  accounting.record(closedLedger({ id: 'req_b' }));
  accounting.record(closedLedger({ id: 'req_c', key: 'other', modelLimits: ['key other'] }));
  accounting.record(
    closedLedger({
      id: 'req_d',
      key: undefined,
      model: undefined,
      vendor: undefined,
      remains: [],
      attempts: 0,
    }),
  );
  expect(await requests()).toBe(4);
  // Summed up by key and by the limits for some models: 200 tokens of input at 2 dollars a million, and 40 of output at 8.
  const { time } = closedLedger();
  expect(told.charged).toEqual([
    { key: 'team', tokens: 240, cost: expect.closeTo(0.00072, 10), time },
    {
      key: 'other',
      modelLimits: ['key other'],
      tokens: 120,
      cost: expect.closeTo(0.00036, 10),
      time,
    },
  ]);
  expect(told.lines.map(parseJson)).toMatchObject([
    { id: 'req_a', input: 100, output: 20 },
    { id: 'req_b' },
    { id: 'req_c' },
    { id: 'req_d', outcome: 'refused' },
  ]);
  await soon(async () => expect(await rows()).toHaveLength(3));
  expect(await rows()).toMatchObject([
    { id: 'req_a', key: 'team', input: 100, day: '2026-11-20', place: 0 },
    { id: 'req_b', place: 1 },
    { id: 'req_c', key: 'other', place: 2 },
  ]);
  expect([told.troubles, accounting.lost()]).toEqual([[], 0]);
});

test('while another process has locked the store, requests are charged, logged and counted', async () => {
  await open();
  const other = new DatabaseSync(store.place.path);
  other.exec('begin immediate');
  accounting.record(closedLedger({ id: 'req_a' }));
  // Until well after the interval of a batch, so that the thread is waiting for the lock.
  await sleep(300);
  accounting.record(closedLedger({ id: 'req_b' }));
  expect(await requests()).toBe(2);
  expect(told.lines.map(parseJson)).toMatchObject([{ id: 'req_a' }, { id: 'req_b' }]);
  expect(told.charged).toHaveLength(2);
  expect(await rows()).toEqual([]);
  other.exec('commit');
  other.close();
  // In one batch or in two, whose names have no order.
  await soon(async () => expect((await rows()).map(({ id }) => id).sort()).toEqual(['req_a', 'req_b']));
  expect(told.troubles).toEqual([]);
});

test('metrics that are requested later include later records', async () => {
  await open();
  accounting.record(closedLedger());
  const first = requests();
  accounting.record(closedLedger());
  expect(await Promise.all([first, requests()])).toEqual([1, 2]);
});

test('requests of two days are charged separately', async () => {
  await open();
  accounting.record(closedLedger());
  accounting.record(closedLedger({ time: Date.parse('2026-11-21T00:00:00Z') }));
  await accounting.figures();
  expect(told.charged.map(({ tokens }) => tokens)).toEqual([120, 120]);
});

test('at its end all records are logged and written', async () => {
  await open({ batch: 100, interval: 60_000 });
  for (let at = 0; at < 2_050; at += 1) accounting.record(closedLedger({ id: `req_${at}` }));
  await accounting.close(10_000);
  expect(told.lines).toHaveLength(2_050);
  const written = await rows();
  expect(written).toHaveLength(2_050);
  expect(new Set(written.map(({ batch }) => batch)).size).toBe(21);
  accounting.record(closedLedger());
  expect(accounting.lost()).toBe(1);
  expect(await requests()).toBe(0);
});

test('at its end, records that the store does not accept in time are lost and reported', async () => {
  await open({ interval: 60_000 });
  accounting.record(closedLedger());
  await requests();
  const other = new DatabaseSync(store.place.path);
  other.exec('begin immediate');
  await accounting.close(300);
  await soon(() => {
    expect(told.troubles).toEqual(['The usage of 1 exchange could not be written and is lost.']);
    expect(accounting.lost()).toBe(1);
  });
  other.close();
});

test('only a bounded number of records waits for the store, and further ones are counted as lost', async () => {
  await open({ batch: 1, queue: 10 });
  const other = new DatabaseSync(store.place.path);
  other.exec('begin immediate');
  for (let at = 0; at < 50; at += 1) accounting.record(closedLedger());
  expect(await requests()).toBe(50);
  // One is being written, and ten wait.
  expect(accounting.lost()).toBe(39);
  other.close();
  await soon(async () => expect(await rows()).toHaveLength(11));
  expect(accounting.lost()).toBe(39);
});

test('only a bounded number of records waits for the thread', async () => {
  await open({ queue: 100 });
  const large = closedLedger({ remains: [Buffer.alloc(300_000, 0x20)] });
  for (let at = 0; at < 1_000; at += 1) accounting.record(large);
  expect(accounting.lost()).toBeGreaterThan(800);
  expect(await requests()).toBe(1_000 - accounting.lost());
});

test('a record that cannot be processed does not affect others', async () => {
  await open();
  accounting.record(closedLedger());
  accounting.record(UNPROCESSABLE);
  accounting.record(closedLedger());
  expect(await requests()).toBe(2);
  expect(told.troubles).toEqual(['The usage of an exchange could not be recorded.']);
  expect(accounting.lost()).toBe(1);
  await soon(async () => expect(await rows()).toHaveLength(2));
});

test('if the thread ends, another one goes on, and lost records are counted', async () => {
  const post = vi.spyOn(Worker.prototype, 'postMessage');
  await open({ interval: 60_000 });
  const thread = post.mock.contexts.at(-1);
  post.mockRestore();
  accounting.record(closedLedger());
  accounting.record(closedLedger());
  expect(await requests()).toBe(2);
  if (!(thread instanceof Worker)) throw new TypeError('No thread was used.');
  // It is terminated before the question: a running thread might still answer.
  const ended = thread.terminate();
  accounting.record(closedLedger());
  const asked = requests();
  await ended;
  // The last known figures.
  expect(await asked).toBe(2);
  expect(told.troubles).toEqual(['The thread that records usage has ended.']);
  expect(accounting.lost()).toBe(3);
  accounting.record(closedLedger());
  // The new thread may take longer to start than figures may take, which then are the last known ones.
  await soon(async () => expect(await requests()).toBe(1));
});
