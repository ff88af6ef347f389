/** What runs in a `WorkerThread`: it lets the modules serve that are asked for. */

import { parentPort } from 'node:worker_threads';
import { releaseOnceStarted } from './release-heap.ts';
import type { ThreadModule, ThreadOrder } from './worker-thread.ts';

if (parentPort !== null) {
  const orders = parentPort;
  releaseOnceStarted();
  orders.on('message', async (order: ThreadOrder) => {
    if (order === 'end') {
      orders.close();
      return;
    }
    const module: ThreadModule = await import(order.module);
    await module.serve(order.port, order.data);
  });
}
