/** What a mounted gateway keeps: the store, and the thread that writes usage to it. */

import { AccountingWorker } from '../../accounting/worker/accounting-worker.ts';
import type { Config } from '../../config/schema.ts';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { openConfiguredStore } from '../../store/configured-store.ts';
import { WorkerThread } from '../../store/threads/worker-thread.ts';
import type { OpenOptions } from '../open-gateway.ts';
import { openStoreAccess } from '../process/store-access.ts';

/** What a mounted gateway keeps in its store: keys, what they have used, and what every exchange cost. */
export interface MountedStore {
  readonly options: OpenOptions;
  close(): Promise<void>;
}

/** How long records may take to be written at the end, in milliseconds. */
const FLUSH_TIME = 5_000;

/** Opens it. @throws StoreError if the store cannot be opened. */
export async function openMountedStore(config: Config, log: LogProblem): Promise<MountedStore> {
  const thread = new WorkerThread();
  const store = await openConfiguredStore(config.store, process.cwd(), log, thread);
  const accounts = await openStoreAccess(store, config, { info: log, problem: log });
  const { interval, batch, queue, spool } = config.usage;
  const accounting = new AccountingWorker(
    { interval, batch, queue, spool, store: accounts.place },
    { charge: accounts.gatewayOptions.limits.charge, info: log, problem: log },
    thread,
  );
  return {
    options: {
      ...accounts.gatewayOptions,
      record: (closed, charged) => accounting.record(closed, charged),
    },
    async close() {
      await accounting.close(FLUSH_TIME);
      await accounts.close();
    },
  };
}
