/** The thread that has the SQLite file open, so that no stream of the main thread waits for the disk. */

import { parentPort, workerData } from 'node:worker_threads';
import { releaseOnceStarted } from './release-heap.ts';
import { type FileOptions, openSqliteFile, type Statement } from './sqlite-file.ts';

if (parentPort !== null) {
  const port = parentPort;
  releaseOnceStarted();
  const options: FileOptions = workerData;
  const file = await openSqliteFile(options);
  port.on('message', (statement: Statement | 'close') => {
    if (statement !== 'close') {
      port.postMessage(file.run(statement));
      return;
    }
    file.close();
    port.close();
  });
}
