/** `gateway start` with one process, which serves itself. */

import type { CallersAddress } from '../server/http/admin/forward-calls.ts';
import { openObservability } from '../server/process/observability.ts';
import { startServing } from '../server/process/serving.ts';
import { makeShutdown, onSignals } from '../server/process/shutdown.ts';
import { openStoreAccess } from '../server/process/store-access.ts';
import { openCloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { orExit } from './command.ts';
import {
  closingWith,
  keepFixedSettings,
  logReload,
  openConfigured,
  renewAddresses,
  rereadSettings,
} from './open-configured.ts';
import { openConfiguredAdmin } from './open-configured-admin.ts';
import { optimize } from './optimize.ts';
import type { PreparedStart } from './prepare-start.ts';

/** Serves, and reloads the configuration when it changes. Resolves when the gateway listens. */
export async function serveAlone({
  settings,
  surroundings,
  store,
  thread,
  diagnostics,
  onConfigChange,
  announce,
}: PreparedStart): Promise<void> {
  const { config } = settings;
  const { problem } = diagnostics;
  const accounts = await orExit(openStoreAccess(store, config, diagnostics));
  const watching = await orExit(
    openObservability(
      config,
      surroundings.environment,
      { accounts, thread, isOnlyProcess: true },
      diagnostics,
    ),
  );
  diagnostics.into(watching.log);
  const options = {
    ...accounts.gatewayOptions,
    cloudTokens: openCloudTokens(problem),
    log: problem,
    ...watching.gatewayOptions,
  };
  let lastRead = settings;
  const first = await orExit(openConfigured(config, options));
  let inUse = first;
  const address = Promise.withResolvers<CallersAddress>();
  const admin = await openConfiguredAdmin(config, store, watching.log, diagnostics, {
    onKeys: accounts.refresh,
    configured: () => inUse.config,
    otherNames: (model) => inUse.gateway.catalog.otherNames(model),
    render: watching.metrics.render,
    gateway: address.promise,
    describe: () => lastRead.describe(),
  });
  const serving = closingWith(await orExit(startServing(first, problem)), {
    accounts,
    watching,
    diagnostics,
    admin,
  });
  address.resolve({
    host: config.host,
    port: serving.server.port,
    certificate: () => inUse.config.tls,
  });
  watching.observe(serving);
  onSignals(makeShutdown(serving, diagnostics));
  onConfigChange(settings.files, problem, (files) =>
    watching.reload(async () => {
      const reread = await rereadSettings(surroundings, lastRead, serving.current().sandboxed, files);
      const { config: next } = reread;
      const before = serving.current().gateway;
      inUse = await openConfigured(keepFixedSettings(config, next, inUse.config), {
        ...options,
        previous: before,
      });
      serving.replace(inUse);
      renewAddresses(inUse.config, { accounts, watching });
      admin?.applyConfig(next);
      lastRead = reread;
      logReload(diagnostics, config, next);
    }),
  );
  const served = {
    url: serving.server.url,
    ...(admin && { admin: admin.url }),
    sandboxed: first.sandboxed,
    models: first.gateway.catalog.models.map((model) => model.id),
  };
  optimize();
  announce(served, watching.log);
}
