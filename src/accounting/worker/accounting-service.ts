/** The accounting in a `WorkerThread`: passes messages between a port and `openAccounting`. */

import type { MessagePort } from 'node:worker_threads';
import {
  type AccountingOptions,
  openAccounting,
  type WorkerAnswer,
  type WorkerRequest,
} from './accounting.ts';

export function serve(port: MessagePort, options: AccountingOptions): void {
  const take = openAccounting(options, (answer) => port.postMessage(answer, findTransferable(answer)));
  port.on('message', (request: WorkerRequest) => void take(request)?.then(() => port.close()));
}

/** Memory that is transferred to the request path instead of being copied. */
function findTransferable(answer: WorkerAnswer): ArrayBuffer[] {
  return 'lines' in answer ? [answer.lines.buffer] : [];
}
