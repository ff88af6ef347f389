/** Has a SQLite file open in a `WorkerThread`, so that no stream of the main thread waits for the disk. */

import type { MessagePort } from 'node:worker_threads';
import { type FileOptions, type Outcome, openSqliteFile, type Statement, toFailure } from './sqlite-file.ts';

/** Sends an outcome once the file is open or cannot be opened, and one for each statement, which come one at a time. */
export async function serve(port: MessagePort, options: FileOptions): Promise<void> {
  const answer = (outcome: Outcome<unknown>): void => port.postMessage(outcome);
  try {
    const file = await openSqliteFile(options);
    port.on('message', async (statement: Statement | 'close') => {
      if (statement !== 'close') {
        answer(await file.run(statement));
        return;
      }
      await file.close();
      port.close();
    });
    answer({ rows: [] });
  } catch (error) {
    answer(toFailure(error));
    port.on('message', () => port.close());
  }
}
