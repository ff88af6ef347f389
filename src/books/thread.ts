/** The thread that keeps the books. */

import { parentPort, workerData } from 'node:worker_threads';
import { type Asked, type BooksOptions, openBooks } from './books.ts';

if (parentPort !== null) {
  const port = parentPort;
  const options: BooksOptions = workerData;
  const books = await openBooks(options, (told) => port.postMessage(told));
  port.on('message', (asked: Asked) => {
    if (asked === 'figures') books.figures();
    else if (asked instanceof ArrayBuffer) books.enter(asked);
    else void books.close(asked.close).then(() => port.close());
  });
}
