/** `gateway start` with several processes: the first one starts the workers, replaces those that die, and ends them. */

import { openLog } from '../accounting/log/log.ts';
import { workersMetrics } from '../accounting/metrics/worker-metrics.ts';
import { makeCatalog } from '../catalog/catalog.ts';
import { catalogModels, servedModels } from '../config/models.ts';
import type { Config } from '../config/schema.ts';
import { configuredVendors, vendorsAt } from '../config/vendors.ts';
import { openSandbox, sandboxOptions } from '../server/open-gateway.ts';
import { openDistribution } from '../server/process/distribution.ts';
import { onSignals } from '../server/process/shutdown.ts';
import type { ServedConfig } from '../server/process/worker-messages.ts';
import { Workers } from '../server/process/workers.ts';
import { formatUrl } from '../upstream/net/bind.ts';
import { orExit } from './command.ts';
import { FLUSH_TIME, keepFixedSettings, logReload, rereadSettings } from './open-configured.ts';
import { openConfiguredAdmin } from './open-configured-admin.ts';
import { optimize } from './optimize.ts';
import type { PreparedStart } from './prepare-start.ts';

/** Runs the workers. When all of them have ended, the process ends with their exit code. */
export async function superviseWorkers({
  settings,
  surroundings,
  store,
  diagnostics,
  onConfigChange,
  announce,
}: PreparedStart): Promise<void> {
  const { config } = settings;
  const { problem } = diagnostics;
  const log = config.log === 'none' ? undefined : openLog({ style: config.log });
  diagnostics.into(log);
  let vendors = configuredVendors(config);
  const sandbox = vendors.all.length === 0 ? await openSandbox(config, problem) : undefined;
  const toServe = (all: Config): ServedConfig => ({
    config: all,
    ...(sandbox && { simulated: sandbox.places }),
  });
  const distribution = await orExit(openDistribution(config, problem));
  const workers = new Workers(toServe(config), distribution, diagnostics);
  onSignals({ begin: () => workers.broadcast('end'), force: () => workers.broadcast('hurry') });
  const early = await orExit(Promise.race([workers.ready, workers.ended]));
  if (early !== undefined) process.exit(early);
  let inUse = config;
  let reloadsRefused = 0;
  let lastRead = settings;
  const render = workersMetrics({ workersLost: () => workers.lost(), reloadsRefused: () => reloadsRefused });
  const admin = await openConfiguredAdmin(config, store, log, diagnostics, {
    configured: () => inUse,
    otherNames: (model) => makeCatalog(catalogModels(inUse), inUse.aliases).otherNames(model),
    render,
    gateway: Promise.resolve({ host: config.host, port: distribution.port, certificate: () => inUse.tls }),
    describe: () => lastRead.describe(),
  });
  onConfigChange(settings.files, problem, async (files) => {
    const isSandboxed = vendors.all.length === 0;
    const reread = await rereadSettings(surroundings, lastRead, isSandboxed, files).catch(
      (error: unknown) => {
        reloadsRefused += 1;
        throw error;
      },
    );
    const { config: next } = reread;
    vendors = configuredVendors(next);
    lastRead = reread;
    sandbox?.change(sandboxOptions(next));
    inUse = keepFixedSettings(config, next, inUse);
    if (inUse.store.url !== undefined) store.renewAddress(inUse.store.url);
    workers.serveBy(toServe(inUse));
    admin?.applyConfig(next);
    logReload(diagnostics, config, next);
  });
  const served = {
    ...(admin && { admin: admin.url }),
    url: formatUrl({ ...config, port: distribution.port }),
    sandboxed: sandbox !== undefined,
    models: servedModels(config, sandbox ? vendorsAt(sandbox.places, config) : vendors).map(
      (model) => model.id,
    ),
  };
  optimize();
  announce(served, log);
  const code = await workers.ended;
  await Promise.all([sandbox?.close(), admin?.close()]);
  await store.close();
  await log?.close(FLUSH_TIME);
  process.exit(code);
}
