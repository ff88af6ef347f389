/** What a start does before it serves, with one process or with several: configuration, store, first key. */

import { readServed, type Settings } from '../config/load.ts';
import { type Diagnostics, openDiagnostics } from '../lib/diagnostics.ts';
import { logWarnings } from '../server/process/log-warnings.ts';
import { type OnConfigChange, watchConfig } from '../server/process/reload.ts';
import { openConfiguredStore } from '../store/configured-store.ts';
import type { Store } from '../store/store.ts';
import { WorkerThread } from '../store/threads/worker-thread.ts';
import { waitForStore } from '../store/wait-for-store.ts';
import { tryAddress } from '../upstream/net/bind.ts';
import { type Announce, announceStart } from './announce-start.ts';
import { orExit } from './command.ts';
import { findExpiredCertificates, findUnreadVariables } from './config-notes.ts';
import { firstKey } from './first-key.ts';
import type { StartContext } from './open-configured.ts';

/** A start that is ready to serve. */
export interface PreparedStart {
  readonly settings: Settings;
  readonly surroundings: StartContext;
  readonly store: Store;
  /** The thread that has the store's file open. */
  readonly thread: WorkerThread;
  readonly diagnostics: Diagnostics;
  /** Registers what to do when the configuration changes. */
  readonly onConfigChange: OnConfigChange;
  /** Prints the greeting. */
  readonly announce: Announce;
}

/** Reads the configuration, opens the store, and creates a first key if there is none. A mistake ends the process. */
export async function prepareStart(surroundings: StartContext): Promise<PreparedStart> {
  const { environment, directory } = surroundings;
  // Registered first: a change while the start is still under way must not be missed.
  const onConfigChange = watchConfig();
  const settings = await orExit(readServed(environment, directory));
  const { config } = settings;
  // What cannot be listened on ends the start before it makes anything.
  await orExit(tryAddress(config));
  const diagnostics = openDiagnostics();
  const { problem } = diagnostics;
  logWarnings(problem);
  const thread = new WorkerThread();
  const open = (): Promise<Store> => openConfiguredStore(config.store, directory, problem, thread);
  const store = await orExit(waitForStore(open, config.store.wait, problem));
  // Where callers use tokens of an identity provider, no key is needed.
  const needsKey = config.keys.length === 0 && config.identities.length === 0;
  const made = needsKey ? await orExit(firstKey(store)) : undefined;
  const notes = [...findUnreadVariables(config, environment), ...findExpiredCertificates(config)];
  const announce = announceStart(made, config, store, diagnostics, notes);
  return { settings, surroundings, store, thread, diagnostics, onConfigChange, announce };
}
