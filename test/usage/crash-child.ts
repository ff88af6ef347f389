/** A process that records an exchange every few milliseconds, until it is killed. What it is to do is in its environment. */

import { openStore } from '../../src/store/store.ts';
import { recordUsage } from '../../src/usage/recorder.ts';
import { exchange } from './records.ts';

const { STORE_PATH = '', STORE_URL } = process.env;
const store = await openStore({ path: STORE_PATH, ...(STORE_URL !== undefined && { url: STORE_URL }) });
const { record } = recordUsage(store, { interval: 500, batch: 500, queue: 50_000 });
let count = 0;
setInterval(() => {
  record(exchange({ id: String(count), time: Date.now() }));
  count += 1;
}, 2);
