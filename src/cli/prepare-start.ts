/** What a start does before it serves, with one process or with several: configuration, store, first key. */

import { readServed, type Settings } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { Diagnostics } from '../lib/diagnostics.ts';
import { type OnConfigChange, watchConfig } from '../server/process/reload.ts';
import { lacksKeys } from '../store/configured-store.ts';
import { sayIfSlow } from '../store/say-if-slow.ts';
import { describePlace, type Store } from '../store/store.ts';
import { waitToRead } from '../store/wait-for-store.ts';
import { tryAddress } from '../upstream/net/bind.ts';
import { type Announce, announceStart } from './announce-start.ts';
import { orExit } from './command.ts';
import { findExpiredCertificates, findUnreadVariables } from './config-notes.ts';
import { type FirstKey, firstKey } from './first-key.ts';
import type { StartContext } from './open-configured.ts';
import { type OpenedStore, openProcessStore } from './open-services.ts';

/** A start that is ready to serve. */
export interface PreparedStart extends OpenedStore {
  readonly settings: Settings;
  readonly surroundings: StartContext;
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
  const opened = await openProcessStore(config, directory);
  const { store, diagnostics } = opened;
  // Where callers use tokens of an identity provider, no key is needed.
  const needsKey = config.keys.length === 0 && config.identities.length === 0;
  const made = needsKey ? await orExit(findFirstKey(store, config, diagnostics)) : undefined;
  const notes = [...findUnreadVariables(config, environment), ...findExpiredCertificates(config)];
  const announce = announceStart(made, config, store, diagnostics, notes);
  return { ...opened, settings, surroundings, onConfigChange, announce };
}

/** Creates a first key, as `firstKey` does. To make one is not tried again: if it was made, nobody would see it. */
async function findFirstKey(
  store: Store,
  { store: { wait } }: Config,
  { problem }: Diagnostics,
): Promise<FirstKey | string | undefined> {
  const say = (): void => problem(slowLook(store));
  const lacks = await waitToRead(store, () => sayIfSlow(lacksKeys(store), say), { wait, log: problem });
  return lacks ? sayIfSlow(firstKey(store), say) : undefined;
}

function slowLook({ place }: Store): string {
  return `The store ${describePlace(place)} has not said yet whether it has keys. It is overloaded, or a table is locked. The start waits for it.`;
}
