/**
 * A process that records a request every few milliseconds, until it is killed. Its settings are in its
 * environment.
 */

import { AccountingWorker } from '../../../src/accounting/worker/accounting-worker.ts';
import { openStore } from '../../../src/store/store.ts';
import { closedLedger } from '../worker/ledgers.ts';

const { STORE_PATH = '', STORE_URL } = process.env;
const { place } = await openStore({ path: STORE_PATH, ...(STORE_URL !== undefined && { url: STORE_URL }) });
const usage = { interval: 500, batch: 500, queue: 50_000, spool: 0, store: place };
const books = new AccountingWorker(usage, { charge: () => {}, problem: console.error, info: console.log });
let count = 0;
setInterval(() => {
  books.record(closedLedger({ id: String(count), time: Date.now() }));
  count += 1;
}, 2);
