/** One thread in which the store's file is open and exchanges are accounted for. */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AccountingWorker } from '../../src/accounting/worker/accounting-worker.ts';
import { createKey } from '../../src/store/keys/keys.ts';
import { listKeys } from '../../src/store/keys/list-keys.ts';
import { openInThread } from '../../src/store/sqlite/sqlite-thread.ts';
import { connectStore, openStore, type Store } from '../../src/store/store.ts';
import { ownedTable } from '../../src/store/stored-ids.ts';
import { WorkerThread } from '../../src/store/threads/worker-thread.ts';
import { closedLedger } from '../accounting/worker/ledgers.ts';
import { soon } from '../support/soon.ts';

let directory: string;
let path: string;
let thread: WorkerThread;
let store: Store;
const workers = new Set<Worker>();

beforeEach(async () => {
  workers.clear();
  const post = Worker.prototype.postMessage;
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...message) {
    workers.add(this);
    post.apply(this, message);
  });
  directory = await mkdtemp(join(tmpdir(), 'gateway-thread-'));
  path = join(directory, 'gateway.db');
  thread = new WorkerThread();
  store = await openStore({ path }, undefined, { open: openInThread(thread) });
});

afterEach(async () => {
  await store.close();
  vi.restoreAllMocks();
  await rm(directory, { recursive: true });
});

/** The only worker so far. */
function onlyWorker(): Worker {
  const [worker] = workers;
  if (worker === undefined || workers.size > 1) throw new TypeError(`There are ${workers.size} threads.`);
  return worker;
}

const troubles: string[] = [];

function openBooks(place = store.place): AccountingWorker {
  troubles.length = 0;
  return new AccountingWorker(
    { interval: 20, batch: 500, queue: 10_000, spool: 0, store: place },
    {
      charge: () => {},
      problem: (message) => void troubles.push(message),
      info: () => {},
    },
    thread,
  );
}

const exchanges = () => store.db.selectFrom('gateway_exchanges').select('id').orderBy('id').execute();

test('a store and the accounting share a thread, which ends after both', async () => {
  const books = openBooks();
  const worker = onlyWorker();
  const ended = once(worker, 'exit');
  books.record(closedLedger({ id: 'req_a' }));
  await createKey(store, 'one');
  await soon(async () => expect(await exchanges()).toEqual([{ id: 'req_a' }]));
  await books.close(5_000);
  expect(await listKeys(store)).toHaveLength(1);
  await store.close();
  expect(await ended).toEqual([0]);
});

test('if the thread ends, another one goes on with both', async () => {
  const books = openBooks();
  books.record(closedLedger({ id: 'req_a' }));
  await soon(async () => expect(await exchanges()).toHaveLength(1));
  await onlyWorker().terminate();
  books.record(closedLedger({ id: 'req_b' }));
  expect(await createKey(store, 'one')).toBeDefined();
  await soon(async () => expect(await exchanges()).toEqual([{ id: 'req_a' }, { id: 'req_b' }]));
  expect(workers.size).toBe(2);
  expect(troubles).toEqual(['The thread that records usage has ended.']);
  await books.close(5_000);
});

test('a transaction whose thread ends fails as a whole', async () => {
  const writing = store.db.transaction().execute(async (db) => {
    await ownedTable({ ...store, db }).add([{ id: 'resp_1', key: 'team' }]);
    await onlyWorker().terminate();
    await ownedTable({ ...store, db }).add([{ id: 'resp_2', key: 'team' }]);
  });
  await expect(writing).rejects.toThrow('The thread has ended.');
  expect(await ownedTable(store).find(['resp_1', 'resp_2'])).toEqual([]);
});

test('a statement whose thread ends fails, and the next one is answered', async () => {
  const asked = store.db.selectFrom('gateway_keys').selectAll().execute();
  asked.catch(() => {});
  // A running thread might still answer.
  await Promise.all([onlyWorker().terminate(), expect(asked).rejects.toThrow('The thread has ended.')]);
  expect(await listKeys(store)).toEqual([]);
});

test('a file that cannot be opened leaves the others of its thread alone', async () => {
  const folder = openStore({ path: directory }, undefined, { open: openInThread(thread) });
  await expect(folder).rejects.toThrow(/cannot be opened: unable to open database file/);
  expect(await createKey(store, 'one')).toBeDefined();
  expect(onlyWorker()).toBeDefined();
});

test('a store that nobody asks for a while ends its thread, and starts another one for who does', async () => {
  const idle = connectStore({ path }, { idle: 30 });
  workers.clear();
  expect(await listKeys(idle)).toEqual([]);
  expect(await once(onlyWorker(), 'exit')).toEqual([0]);
  workers.clear();
  expect(await listKeys(idle)).toEqual([]);
  const ended = once(onlyWorker(), 'exit');
  await idle.close();
  expect(await ended).toEqual([0]);
});

test('a closed store is not opened again by who still waits for it', async () => {
  const open = vi.fn(openInThread(thread));
  const other = await openStore({ path: join(directory, 'other.db') }, undefined, { open });
  const waiting = Promise.allSettled([1, 2, 3].map(() => listKeys(other)));
  await other.close();
  const outcomes = await waiting;
  expect(outcomes.at(-1)?.status).toBe('rejected');
  expect(open).toHaveBeenCalledTimes(1);
});
