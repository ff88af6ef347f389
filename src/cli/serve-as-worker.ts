/** `gateway start` in one of several processes: serves, and does as the first process says. */

import { tellMetrics } from '../accounting/metrics/worker-metrics.ts';
import type { Config } from '../config/schema.ts';
import { openDiagnostics } from '../lib/diagnostics.ts';
import type { Environment } from '../lib/environment.ts';
import type { Gateway } from '../pipeline/gateway.ts';
import { openAccounts } from '../server/process/accounts.ts';
import { endingOf, onSignals } from '../server/process/ending.ts';
import { startServing } from '../server/process/serving.ts';
import { openWatching } from '../server/process/watching.ts';
import { hear, type Served, tellFirst } from '../server/process/workers.ts';
import { openConfiguredStore } from '../store/configured-store.ts';
import { openCloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { closingWith, openConfigured } from './open-configured.ts';
import { orExit } from './or-exit.ts';

export async function serveAsWorker(environment: Environment, directory: string): Promise<void> {
  const heard = hear();
  const first = await heard.first;
  const { config } = first;
  const teller = openDiagnostics();
  const { problem: trouble } = teller;
  const store = await orExit(openConfiguredStore(config.store, directory, trouble));
  const accounts = await orExit(openAccounts(store, config, teller));
  const watching = await orExit(openWatching(config, environment, accounts, false, teller));
  teller.into(watching.log);
  const passes = openCloudTokens(trouble);
  const company = {
    keys: accounts.keys,
    limits: accounts.limits,
    storedIds: accounts.storedIds,
    passes,
    tell: trouble,
    ...watching.company,
  };
  const open = ({ config: all, simulated }: Served, before?: Gateway) =>
    openConfigured(oneShare(all), {
      ...company,
      ...(simulated && { simulated }),
      ...(before && { before }),
    });

  const serving = closingWith(await orExit(startServing(await orExit(open(first)), trouble, heard.receive)), {
    accounts,
    watching,
    teller,
  });
  watching.follow(serving);
  tellMetrics(watching.metrics);
  const ending = endingOf(serving, teller);
  let last = Promise.resolve();
  onSignals(ending);
  heard.obey({
    end: ending.begin,
    hurry: ending.hurry,
    serveBy(next) {
      last = last.then(() => exchange(next));
    },
  });
  tellFirst('ready');

  async function exchange(next: Served): Promise<void> {
    try {
      await watching.reload(async () => serving.exchange(await open(next, serving.current().gateway)));
    } catch (error) {
      trouble(`A worker keeps the old configuration: ${error}`);
    }
  }
}

/** Limits are those of all workers together. */
function oneShare(config: Config): Config {
  const { inFlight, inFlightPerKey, webSockets, webSocketsPerKey, pendingBytes, pendingBytesPerKey } =
    config.limits;
  const share = (limit: number): number => Math.ceil(limit / config.workers);
  const limits = {
    ...config.limits,
    inFlight: share(inFlight),
    inFlightPerKey: share(inFlightPerKey),
    webSockets: share(webSockets),
    webSocketsPerKey: share(webSocketsPerKey),
    pendingBytes: share(pendingBytes),
    pendingBytesPerKey: share(pendingBytesPerKey),
  };
  return { ...config, limits };
}
