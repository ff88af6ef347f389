/** `gateway start` with one process, which serves itself. */

import type { CallersAddress } from '../server/http/admin/forward-calls.ts';
import { startServing } from '../server/process/serving.ts';
import { makeShutdown, onSignals } from '../server/process/shutdown.ts';
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
import { openServices } from './open-services.ts';
import { optimize } from './optimize.ts';
import type { PreparedStart } from './prepare-start.ts';

/** Serves, and reloads the configuration when it changes. Resolves when the gateway listens. */
export async function serveAlone(prepared: PreparedStart): Promise<void> {
  const { settings, surroundings, store, diagnostics, onConfigChange, announce } = prepared;
  const { config } = settings;
  const { problem } = diagnostics;
  const { environment } = surroundings;
  const { accounts, watching, gatewayOptions } = await openServices(config, environment, prepared, true);
  let lastRead = settings;
  const first = await orExit(openConfigured(config, gatewayOptions));
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
        ...gatewayOptions,
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
