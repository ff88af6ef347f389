/** The accounting in a `WorkerThread`: passes messages between a port and `openAccounting`. */

import type { MessagePort } from 'node:worker_threads';
import {
  type AccountingOptions,
  openAccounting,
  type WorkerAnswer,
  type WorkerRequest,
} from './accounting.ts';

export async function serve(port: MessagePort, options: AccountingOptions): Promise<void> {
  const accounting = await openAccounting(options, (answer) =>
    port.postMessage(answer, findTransferable(answer)),
  );
  port.on('message', (request: WorkerRequest) => {
    if (request === 'figures') accounting.figures();
    else if ('records' in request) accounting.record(request.records);
    else if ('address' in request) accounting.renewAddress(request.address);
    else void accounting.close(request.close).then(() => port.close());
  });
}

/** Memory that is transferred to the request path instead of being copied. */
function findTransferable(answer: WorkerAnswer): ArrayBuffer[] {
  return 'lines' in answer ? [answer.lines.buffer] : [];
}
