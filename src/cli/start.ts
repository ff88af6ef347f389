/** `gateway start`: serves until it is told to stop. */

import cluster from 'node:cluster';
import { type ArgsDef, defineCommand } from 'citty';
import { type Log, openLog } from '../accounting/log/log.ts';
import { workersMetrics } from '../accounting/metrics/worker-metrics.ts';
import { readServed, type Settings } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { configuredVendors, vendorsAt } from '../config/vendors.ts';
import { type Diagnostics, openDiagnostics } from '../lib/diagnostics.ts';
import { addWatchRoutes } from '../server/http/admin/metrics-routes.ts';
import { openAdmin } from '../server/http/admin/open-admin.ts';
import { openSandbox, sandboxOptions, servedModels } from '../server/open-gateway.ts';
import { openAccounts } from '../server/process/accounts.ts';
import { openDistribution } from '../server/process/distribution.ts';
import { endingOf, onSignals } from '../server/process/ending.ts';
import { hearConfigChanges, type OnConfigChange } from '../server/process/reload.ts';
import { startServing } from '../server/process/serving.ts';
import { openWatching } from '../server/process/watching.ts';
import { type Served, startWorkers } from '../server/process/workers.ts';
import { openConfiguredStore } from '../store/configured-store.ts';
import type { Store } from '../store/store.ts';
import { openCloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { freePort, urlOf } from '../upstream/net/bind.ts';
import { type FirstKey, firstKey, whereItIs, writePrivately } from './first-key.ts';
import { type Greeting, greeting } from './greeting.ts';
import { refuseUnknown } from './known-options.ts';
import {
  closingWith,
  inForce,
  LAST_WRITES,
  openConfigured,
  rereadSettings,
  type Surroundings,
  tellReloaded,
} from './open-configured.ts';
import { orExit } from './or-exit.ts';
import { tellingRefusals } from './refusal.ts';
import { serveAsWorker } from './serve-as-worker.ts';
import { variableHints } from './variable-hints.ts';
import { vendorHints } from './vendor-hints.ts';

const options = {
  config: {
    type: 'string',
    description: 'Configuration file (default: GATEWAY_CONFIG, or gateway.config.*)',
  },
  host: { type: 'string', description: 'Address to listen on (default: HOST, or 127.0.0.1)' },
  port: { type: 'string', description: 'Port to listen on (default: PORT, or 8787)' },
  workers: { type: 'string', description: 'Number of processes that serve (default: WORKERS, or 1)' },
} as const satisfies ArgsDef;

export const start = defineCommand({
  meta: { name: 'start', description: 'Start the gateway.' },
  args: options,
  run: ({ args }) =>
    tellingRefusals(async () => {
      refuseUnknown(args, options);
      const directory = process.cwd();
      const environment = {
        ...process.env,
        ...(args.config !== undefined && { GATEWAY_CONFIG: args.config }),
        ...(args.host !== undefined && { HOST: args.host }),
        ...(args.port !== undefined && { PORT: args.port }),
        ...(args.workers !== undefined && { WORKERS: args.workers }),
      };
      if (cluster.isWorker) return serveAsWorker(environment, directory);

      const source = { environment, directory, onChange: hearConfigChanges() };
      const { config: read, files } = await orExit(readServed(environment, directory));
      const config = { ...read, port: await orExit(freePort(read.host, read.port)) };
      const teller = openDiagnostics();
      const store = await orExit(openConfiguredStore(config.store, directory, teller.problem));
      // Where callers come with tokens, nobody waits for a key.
      const isKeyless = config.keys.length === 0 && config.identities.length === 0;
      const made = isKeyless ? await orExit(firstKey(store)) : undefined;
      const settings = { config, files };
      const greet = greetingWith(made, config, store, teller, variableHints(config, environment, directory));
      if (config.workers === 1) return serveAlone(settings, source, store, teller, greet);
      return lookAfterWorkers(settings, source, store, teller, greet);
    }),
});

/** What is told where a newer version has been at the tables: whoever goes back to this one may wonder. */
function newerTables(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [
    `A newer version of the gateway has added to the tables (${names.join(', ')}); this version leaves that alone.`,
  ];
}

/**
 * A start that makes a key and fails before its greeting tells the key all the same: the next one makes none.
 * @returns what ends that.
 */
function tellIfFailed(made: FirstKey | undefined): () => void {
  if (made === undefined) return () => {};
  const tell = (): void =>
    console.error(
      made.file === undefined
        ? `This start had already made your API key: ${made.key}. Save it now: only its hash is stored, so it cannot be shown again.`
        : whereItIs(made.file),
    );
  process.once('exit', tell);
  return () => process.off('exit', tell);
}

type Greet = (told: Omit<Greeting, 'made' | 'hints'>, log: Log | undefined) => void;

/**
 * A greeting is for people; a JSON log has it line by line. A key that was just made belongs into no log: it is for
 * people on a terminal, where JSON was asked for by name on standard error. Where there is no terminal, the greeting that
 * has it goes to its file.
 * @param first the key, or why there is none.
 */
function greetingWith(
  first: FirstKey | string | undefined,
  config: Config,
  { newer }: Store,
  { info: note }: Diagnostics,
  unread: readonly string[],
): Greet {
  const made = typeof first === 'string' ? undefined : first;
  const isGreeted = tellIfFailed(made);
  return (told, log) => {
    isGreeted();
    const key = made?.key;
    const file = made?.file;
    // Reads the catalog, which nobody who asks for something waits for by now.
    const hints = [...newerTables(newer), ...unread, ...vendorHints(config)];
    if (file !== undefined) writePrivately(file, greeting({ ...told, made: key, hints }));
    if (typeof first === 'string') hints.push(first);
    if (file !== undefined) hints.push(whereItIs(file));
    const shown = file === undefined ? key : undefined;
    const forPeople = greeting({ ...told, made: shown, hints });
    if (log?.style !== 'json' || (shown !== undefined && config.log !== 'json')) {
      console.log(forPeople);
      return;
    }
    for (const line of greeting({ ...told, made: undefined, hints }).split('\n')) note(line);
    if (shown !== undefined) console.error(forPeople);
  };
}

/** Where the configuration comes from, and how to learn that it is another one. */
interface Source extends Surroundings {
  readonly onChange: OnConfigChange;
}

async function serveAlone(
  { config, files }: Settings,
  from: Source,
  store: Store,
  teller: Diagnostics,
  greet: Greet,
): Promise<void> {
  const { problem: trouble } = teller;
  const accounts = await orExit(openAccounts(store, config, teller));
  const watching = await orExit(openWatching(config, from.environment, accounts, true, teller));
  teller.into(watching.log);
  const company = {
    keys: accounts.keys,
    limits: accounts.limits,
    storedIds: accounts.storedIds,
    passes: openCloudTokens(trouble),
    tell: trouble,
    ...watching.company,
  };
  const first = await orExit(openConfigured(config, company));
  const admin = await orExit(
    openAdmin(config.admin, store, {
      onKeys: accounts.refresh,
      add: (app, key) => addWatchRoutes(app, { key, render: watching.metrics.render }),
    }),
  );
  const belongings = { accounts, watching, teller, admin };
  const serving = closingWith(await orExit(startServing(first, trouble)), belongings);
  watching.follow(serving);
  onSignals(endingOf(serving, teller));
  from.onChange(files, trouble, () =>
    watching.reload(async () => {
      const { config: next, files } = await rereadSettings(from, serving.current().sandboxed);
      const before = serving.current().gateway;
      serving.exchange(await openConfigured(inForce(config, next), { ...company, before }));
      tellReloaded(teller, config, next);
      return files;
    }),
  );
  const told = {
    url: serving.server.url,
    ...(admin && { admin: admin.url }),
    sandboxed: first.sandboxed,
    models: first.gateway.catalog.models.map((model) => model.id),
  };
  greet(told, watching.log);
}

async function lookAfterWorkers(
  { config, files }: Settings,
  from: Source,
  store: Store,
  teller: Diagnostics,
  greet: Greet,
): Promise<void> {
  const { problem: trouble } = teller;
  const log = config.log === 'none' ? undefined : openLog({ style: config.log });
  teller.into(log);
  let vendors = configuredVendors(config);
  const sandbox = vendors.all.length === 0 ? await openSandbox(config, trouble) : undefined;
  const served = (all: Config): Served => ({ config: all, ...(sandbox && { simulated: sandbox.places }) });
  const distribution = await orExit(openDistribution(config, trouble));
  const workers = startWorkers(served(config), distribution, teller);
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
  from.onChange(files, trouble, async () => {
    const { config: next, files } = await rereadSettings(from, vendors.all.length === 0).catch(
      (error: unknown) => {
        reloadsRefused += 1;
        throw error;
      },
    );
    vendors = configuredVendors(next);
    sandbox?.change(sandboxOptions(next));
    workers.serveBy(served(inForce(config, next)));
    tellReloaded(teller, config, next);
    return files;
  });
  const told = {
    ...(admin && { admin: admin.url }),
    url: urlOf(config),
    sandboxed: sandbox !== undefined,
    models: servedModels(config, sandbox ? vendorsAt(sandbox.places, config) : vendors).map(
      (model) => model.id,
    ),
  };
  greet(told, log);
  const code = await workers.over;
  await Promise.all([sandbox?.close(), admin?.close()]);
  await store.close();
  await log?.close(LAST_WRITES);
  process.exit(code);
}
