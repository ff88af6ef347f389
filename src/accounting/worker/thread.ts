/** The thread that keeps the books. */

import { parentPort, workerData } from 'node:worker_threads';
import { type Asked, type BooksOptions, openBooks, type Told } from './accounting.ts';

if (parentPort !== null) {
  const port = parentPort;
  const options: BooksOptions = workerData;
  const books = await openBooks(options, (told) => port.postMessage(told, memoryOf(told)));
  port.on('message', (asked: Asked) => {
    if (asked === 'figures') books.figures();
    else if ('notes' in asked) books.enter(asked.notes);
    else void books.close(asked.close).then(() => port.close());
  });
}

/** What is given away, not copied. */
function memoryOf(told: Told): ArrayBuffer[] {
  return 'blank' in told ? [told.blank, told.lines.buffer] : [];
}
