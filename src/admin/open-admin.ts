/** The admin API as a configuration wants it. */

import type { H3 } from 'h3';
import type { Config } from '../config/schema.ts';
import type { Store } from '../store/store.ts';
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
  const app = createAdminApp(store, { key, ...(onKeys !== undefined && { onKeys }) });
  add?.(app, key);
  return serveAdmin(app, { host, port });
}
