/** Opens the admin API as configured. */

import type { H3 } from 'h3';
import type { Config } from '../../../config/schema.ts';
import { findProxy } from '../../../config/vendors.ts';
import type { Diagnostics } from '../../../lib/diagnostics.ts';
import { withoutTrailingSlashes } from '../../../lib/trailing-slashes.ts';
import { openSealSecret } from '../../../store/seal-secret.ts';
import { connectStore, type Store } from '../../../store/store.ts';
import { makeAdmission } from './admission.ts';
import { type AdminOptions, createAdminApp } from './app.ts';
import { authenticateAdmin, logWrongKeys } from './authenticate-admin.ts';
import type { WatchOptions } from './metrics-routes.ts';
import { type RunningAdmin, serveAdmin } from './serve-admin.ts';
import { openSessions } from './sessions.ts';

export interface AdminServices extends Omit<AdminOptions, 'admit'> {
  /** Adds other routes to the listener. */
  readonly add?: (
    app: H3,
    admission: Pick<WatchOptions, 'admit' | 'secrets' | 'sessions' | 'signIn'>,
  ) => void;
  /** The admin key in force, where a reload may change it. */
  readonly currentKey?: () => string | undefined;
  /** Receives how many requests had a wrong admin key, sparingly. */
  readonly info: Diagnostics['info'];
}

/** Milliseconds after which the connection of administration is closed if nobody uses it. */
const IDLE_TIMEOUT = 10_000;

/** @returns undefined if no admin key is set, since there is no admin API then. @throws Error if its port is taken. */
export async function openAdmin(
  config: Pick<Config, 'admin' | 'proxy' | 'timeouts'>,
  store: Store,
  { add, currentKey = () => config.admin.key, info, ...options }: AdminServices,
): Promise<RunningAdmin | undefined> {
  const { key, host, port, signIn } = config.admin;
  if (key === undefined) return undefined;
  // SQLite does one thing at a time on a connection, and a large usage report takes seconds: meanwhile keys are read over
  // the other connection. Its thread takes 9 MB (measured), and as a rule nobody asks for reports.
  const own = store.kind === 'sqlite' ? connectStore(store.place, { idle: IDLE_TIMEOUT }) : undefined;
  try {
    const admitted = (): string => currentKey() ?? key;
    const proxy = findProxy(config);
    const routes = signIn && { ...signIn, url: withoutTrailingSlashes(signIn.url), ...(proxy && { proxy }) };
    const secrets = { random: openSealSecret(own ?? store), current: admitted };
    const sessions = routes && openSessions(secrets, routes.url.startsWith('https:'));
    const admit = makeAdmission(sessions, authenticateAdmin(admitted, logWrongKeys(info)));
    const app = createAdminApp(own ?? store, { admit, ...options });
    add?.(app, { admit, secrets, sessions, signIn: routes });
    const { close, ...running } = await serveAdmin(app, { host, port }, config);
    return {
      ...running,
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
