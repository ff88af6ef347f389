/** What every process that serves has besides its gateway. A mistake that the user can mend ends the process. */

import type { Config } from '../config/schema.ts';
import { type Diagnostics, openDiagnostics } from '../lib/diagnostics.ts';
import type { Environment } from '../lib/environment.ts';
import { logWarnings } from '../server/process/log-warnings.ts';
import { openObservability } from '../server/process/observability.ts';
import { openStoreAccess } from '../server/process/store-access.ts';
import { openConfiguredStore } from '../store/configured-store.ts';
import type { Store } from '../store/store.ts';
import { WorkerThread } from '../store/threads/worker-thread.ts';
import { waitForStore, waitToRead } from '../store/wait-for-store.ts';
import { openCloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { orExit } from './command.ts';

/** The store of a process. */
export interface OpenedStore {
  readonly store: Store;
  /** The thread that has the store's file open. */
  readonly thread: WorkerThread;
  readonly diagnostics: Diagnostics;
}

/** Opens the store, as soon as its database can be reached. */
export async function openProcessStore({ store: settings }: Config, directory: string): Promise<OpenedStore> {
  const diagnostics = openDiagnostics();
  const { problem } = diagnostics;
  logWarnings(problem);
  const thread = new WorkerThread();
  const open = () => openConfiguredStore(settings, directory, problem, thread);
  return {
    store: await orExit(waitForStore(open, { wait: settings.wait, log: problem })),
    thread,
    diagnostics,
  };
}

/** Opens what counts and records exchanges. @param isOnlyProcess as for `openObservability`. */
export async function openServices(
  config: Config,
  environment: Environment,
  { store, thread, diagnostics }: OpenedStore,
  isOnlyProcess: boolean,
) {
  const waiting = { wait: config.store.wait, log: diagnostics.problem };
  const accounts = await orExit(
    waitToRead(store, () => openStoreAccess(store, config, diagnostics), waiting),
  );
  const watching = await orExit(
    openObservability(config, environment, { accounts, thread, isOnlyProcess }, diagnostics),
  );
  diagnostics.into(watching.log);
  const { problem } = diagnostics;
  const gatewayOptions = {
    ...accounts.gatewayOptions,
    cloudTokens: openCloudTokens(problem),
    log: problem,
    ...watching.gatewayOptions,
  };
  return { accounts, watching, gatewayOptions };
}
