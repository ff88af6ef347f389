/** The admin API as a configuration wants it. */

import type { H3 } from 'h3';
import type { Config } from '../../../config/schema.ts';
import { connectStore, type Store } from '../../../store/store.ts';
import { createAdminApp } from './app.ts';
import { type RunningAdmin, serveAdmin } from './serve-admin.ts';

export interface AdminCompany {
  /** Is called when keys may have changed. */
  readonly onKeys?: () => void;
  /** Adds what else is served there. */
  readonly add?: (app: H3, key: string) => void;
}

/** @returns undefined where no admin key is set: then there is no admin API. @throws Error where its port is taken. */
export async function openAdmin(
  { key, host, port }: Config['admin'],
  store: Store,
  { onKeys, add }: AdminCompany = {},
): Promise<RunningAdmin | undefined> {
  if (key === undefined) return undefined;
  // SQLite does one thing at a time on a connection, and a report of much usage takes seconds: what keys may is read by
  // the other one meanwhile.
  const own = store.kind === 'sqlite' ? connectStore(store.place, () => {}) : undefined;
  try {
    const app = createAdminApp(own ?? store, { key, ...(onKeys !== undefined && { onKeys }) });
    add?.(app, key);
    const { url, close } = await serveAdmin(app, { host, port });
    return {
      url,
      async close() {
        await close();
        await own?.close();
      },
    };
  } catch (error) {
    await own?.close();
    throw error;
  }
}
