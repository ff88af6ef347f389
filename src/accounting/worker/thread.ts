/** The thread that keeps the books. */

import { parentPort, workerData } from 'node:worker_threads';
import {
  type AccountingOptions,
  openAccounting,
  type WorkerAnswer,
  type WorkerRequest,
} from './accounting.ts';

if (parentPort !== null) {
  const port = parentPort;
  const options: AccountingOptions = workerData;
  const books = await openAccounting(options, (told) => port.postMessage(told, memoryOf(told)));
  port.on('message', (asked: WorkerRequest) => {
    if (asked === 'figures') books.figures();
    else if ('notes' in asked) books.enter(asked.notes);
    else void books.close(asked.close).then(() => port.close());
  });
}

/** What is given away, not copied. */
function memoryOf(told: WorkerAnswer): ArrayBuffer[] {
  return 'blank' in told ? [told.blank, told.lines.buffer] : [];
}
