/** The admin listener for tests: the real one, on its own store. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openExchangeCounters } from '../../src/accounting/metrics/counters.ts';
import { openMetrics } from '../../src/accounting/metrics/metrics.ts';
import type { ExchangeRecord } from '../../src/accounting/usage/exchange-record.ts';
import { describeConfig } from '../../src/config/describe-config.ts';
import { type ConfigInput, configSchema } from '../../src/config/schema.ts';
import { type Admit, makeAdmission } from '../../src/server/http/admin/admission.ts';
import { createAdminApp } from '../../src/server/http/admin/app.ts';
import { authenticateAdmin } from '../../src/server/http/admin/authenticate-admin.ts';
import { addWatchRoutes } from '../../src/server/http/admin/metrics-routes.ts';
import { type RunningAdmin, serveAdmin } from '../../src/server/http/admin/serve-admin.ts';
import { openSessions, type Sessions } from '../../src/server/http/admin/sessions.ts';
import type { SignInRoutes } from '../../src/server/http/admin/sign-in-routes.ts';
import { openSealSecret } from '../../src/store/seal-secret.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { CLOSED, freePort } from './free-port.ts';
import { recordUsage } from './record-usage.ts';

export const ADMIN_KEY = 'admin-key-of-the-tests';

/** Admits whoever has the key of the tests, or a session. */
export function admitByKey(key = ADMIN_KEY, sessions?: Sessions): Admit {
  return makeAdmission(
    sessions,
    authenticateAdmin(
      () => key,
      () => {},
    ),
  );
}

/** Serves an admin API, by the usual configuration. @param port 0 for any free one */
export function serveApp(app: ReturnType<typeof createAdminApp>, port = 0): Promise<RunningAdmin> {
  return serveAdmin(app, { host: '127.0.0.1', port }, configSchema.parse({}));
}

export interface TestAdmin {
  readonly url: string;
  readonly store: Store;
  /** What the log has: of sign-ins that failed, and of requests that failed by no fault of their caller. */
  readonly told: readonly string[];
  /** Ends an exchange: it is counted, and its record is written at once. */
  record(exchange: ExchangeRecord): void;
  close(): Promise<void>;
}

/**
 * @param gateway the URL at which a gateway listens for callers; by default there is none
 * @param signInAt makes the sign-in from the address of the listener; absent: nobody can sign in
 * @param config the configuration that it shows
 */
export async function startAdmin(
  gateway = CLOSED.url,
  signInAt?: (url: string) => SignInRoutes,
  config: ConfigInput = { vendors: { openai: { apiKey: 'a key of the tests' } } },
): Promise<TestAdmin> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-admin-'));
  const store = await openStore({ path: join(directory, 'gateway.db') });
  const { timeZone } = configSchema.parse(config).usage;
  const usage = recordUsage(store, { interval: 10, batch: 1_000, queue: 10_000, timeZone });
  const tally = openExchangeCounters();
  const metrics = openMetrics(tally.figures);
  const described = describeConfig(configSchema.parse(config), config, {});
  const port = await freePort();
  const signIn = signInAt?.(`http://127.0.0.1:${port}`);
  const { hostname: host, port: callersPort } = new URL(gateway);
  const secrets = { random: openSealSecret(store), current: () => ADMIN_KEY };
  const sessions = signIn && openSessions(secrets, signIn.url.startsWith('https:'));
  const admit = admitByKey(ADMIN_KEY, sessions);
  const told: string[] = [];
  const tell = (message: string): void => {
    told.push(message);
  };
  const app = createAdminApp(store, { admit, problem: tell, timeZone });
  addWatchRoutes(app, {
    admit,
    secrets,
    signIn,
    sessions,
    reports: { info: tell, problem: tell },
    render: metrics.render,
    gateway: Promise.resolve({ host, port: Number(callersPort), certificate: () => undefined }),
    describe: () => described,
  });
  const server = await serveApp(app, port);
  return {
    url: server.url,
    store,
    told,
    record(exchange) {
      tally.record(exchange);
      usage.record(exchange);
    },
    async close() {
      metrics.close();
      await server.close();
      await usage.close(1_000);
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
