/** The accounting worker's thread: passes messages between its port and `openAccounting`. */

import { parentPort, workerData } from 'node:worker_threads';
import { releaseOnceStarted } from '../../store/release-heap.ts';
import {
  type AccountingOptions,
  openAccounting,
  type WorkerAnswer,
  type WorkerRequest,
} from './accounting.ts';

if (parentPort !== null) {
  const port = parentPort;
  releaseOnceStarted();
  const options: AccountingOptions = workerData;
  const accounting = await openAccounting(options, (answer) =>
    port.postMessage(answer, findTransferable(answer)),
  );
  port.on('message', (request: WorkerRequest) => {
    if (request === 'figures') accounting.figures();
    else if ('records' in request) accounting.record(request.records);
    else void accounting.close(request.close).then(() => port.close());
  });
}

/** Memory that is transferred to the request path instead of being copied. */
function findTransferable(answer: WorkerAnswer): ArrayBuffer[] {
  return 'lines' in answer ? [answer.lines.buffer] : [];
}
