/** `gateway start`: serves until it is told to stop. */

import cluster from 'node:cluster';
import { defineCommand } from 'citty';
import { openAccounts } from '../accounts.ts';
import { openAdmin } from '../admin/open-admin.ts';
import { readSettings, type Settings } from '../config/load.ts';
import { configuredVendors, vendorsAt } from '../config/vendors.ts';
import { endingOf, onSignals } from '../ending.ts';
import { addWatchRoutes } from '../observe/admin-routes.ts';
import { workersMetrics } from '../observe/worker-metrics.ts';
import { openSandbox, servedModels } from '../open.ts';
import { onConfigChange } from '../reload.ts';
import { startServing } from '../serving.ts';
import { makeFirstKey, openConfiguredStore } from '../store/configured-store.ts';
import type { Store } from '../store/store.ts';
import { openWatching } from '../watching.ts';
import { freePort, startWorkers } from '../workers.ts';
import { type Greeting, greeting } from './greeting.ts';
import {
  closingWith,
  openConfigured,
  rereadSettings,
  type Surroundings,
  tellReloaded,
  tellTrouble,
} from './open-configured.ts';
import { orExit } from './or-exit.ts';
import { serveAsWorker } from './serve-as-worker.ts';

export const start = defineCommand({
  meta: { name: 'start', description: 'Serve the gateway.' },
  args: {
    host: { type: 'string', description: 'Address to listen on (default 127.0.0.1, or HOST)' },
    port: { type: 'string', description: 'Port to listen on (default 8787, or PORT)' },
    workers: { type: 'string', description: 'Processes that serve (default 1, or WORKERS)' },
  },
  async run({ args }) {
    const directory = process.cwd();
    const environment = {
      ...process.env,
      ...(args.host !== undefined && { HOST: args.host }),
      // A worker's is the one that the first process has found free.
      ...(args.port !== undefined && cluster.isPrimary && { PORT: args.port }),
      ...(args.workers !== undefined && { WORKERS: args.workers }),
    };
    const surroundings = { environment, directory };
    const { config: read, file } = await orExit(readSettings(environment, directory));
    if (cluster.isWorker) return serveAsWorker(read, surroundings);

    const config = { ...read, port: await orExit(freePort(read.host, read.port)) };
    const store = await orExit(openConfiguredStore(config.store, directory, tellTrouble));
    const made = config.keys.length === 0 ? await orExit(makeFirstKey(store)) : undefined;
    const settings = { config, ...(file !== undefined && { file }) };
    const greet: Greet = (told) => console.log(greeting({ ...told, made }));
    if (config.workers === 1) return serveAlone(settings, surroundings, store, greet);
    return lookAfterWorkers(settings, surroundings, store, greet);
  },
});

type Greet = (told: Omit<Greeting, 'made'>) => void;

async function serveAlone(
  { config, file }: Settings,
  from: Surroundings,
  store: Store,
  greet: Greet,
): Promise<void> {
  const accounts = await orExit(openAccounts(store, config, tellTrouble));
  const watching = await orExit(openWatching(config, from.environment, accounts, true));
  const company = { keys: accounts.keys, limits: accounts.limits, ...watching.company };
  const first = await orExit(openConfigured(config, company));
  const admin = await orExit(
    openAdmin(config.admin, store, {
      onKeys: accounts.refresh,
      add: (app, key) => addWatchRoutes(app, { key, render: watching.metrics.render }),
    }),
  );
  const serving = closingWith(await orExit(startServing(first)), accounts, watching, admin);
  watching.follow(serving);
  onSignals(endingOf(serving));
  onConfigChange(file, () =>
    watching.reload(async () => {
      const next = await rereadSettings(from, serving.current().sandboxed);
      serving.exchange(await openConfigured(next, company));
      tellReloaded(config, next);
    }),
  );
  greet({
    url: serving.server.url,
    ...(admin && { admin: admin.url }),
    sandboxed: first.sandboxed,
    models: first.gateway.catalog.models.length,
  });
}

async function lookAfterWorkers(
  { config, file }: Settings,
  from: Surroundings,
  store: Store,
  greet: Greet,
): Promise<void> {
  let vendors = configuredVendors(config);
  const sandbox = vendors.all.length === 0 ? await openSandbox(config) : undefined;
  const workers = startWorkers(config.workers, {
    PORT: String(config.port),
    ...(sandbox && { GATEWAY_SANDBOX: JSON.stringify(sandbox.places) }),
  });
  onSignals({ begin: () => workers.tell('end'), hurry: () => workers.tell('hurry') });
  const early = await orExit(Promise.race([workers.ready, workers.over]));
  if (early !== undefined) process.exit(early);
  let reloadsRefused = 0;
  const render = workersMetrics({ workersLost: workers.lost, reloadsRefused: () => reloadsRefused });
  const admin = await orExit(
    openAdmin(config.admin, store, {
      add: (app, key) => addWatchRoutes(app, { key, render }),
    }),
  );
  onConfigChange(file, async () => {
    const next = await rereadSettings(from, vendors.all.length === 0).catch((error: unknown) => {
      reloadsRefused += 1;
      throw error;
    });
    vendors = configuredVendors(next);
    workers.tell('reload');
    tellReloaded(config, next);
  });
  greet({
    ...(admin && { admin: admin.url }),
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`,
    sandboxed: sandbox !== undefined,
    models: servedModels(config, sandbox ? vendorsAt(sandbox.places, config) : vendors).length,
  });
  const code = await workers.over;
  await Promise.all([sandbox?.close(), admin?.close()]);
  await store.close();
  process.exit(code);
}
