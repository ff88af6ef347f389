/** `gateway start` in a worker: serves, and follows the first process. */

import { answerMetricsRequests } from '../accounting/metrics/worker-metrics.ts';
import type { Config } from '../config/schema.ts';
import { openDiagnostics } from '../lib/diagnostics.ts';
import type { Gateway } from '../pipeline/gateway.ts';
import { openAccounts } from '../server/process/accounts.ts';
import { makeEnding, onSignals } from '../server/process/ending.ts';
import { startServing } from '../server/process/serving.ts';
import { openWatching } from '../server/process/watching.ts';
import { hear, type Served, tellFirst } from '../server/process/workers.ts';
import { openConfiguredStore } from '../store/configured-store.ts';
import { WorkerThread } from '../store/threads/worker-thread.ts';
import { waitForStore } from '../store/wait-for-store.ts';
import { openCloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { orExit } from './command.ts';
import { closingWith, openConfigured, type Surroundings } from './open-configured.ts';
import { optimize } from './optimize.ts';

/** Serves by the configurations that the first process sends, until it says to stop. */
export async function serveAsWorker({ environment, directory }: Surroundings): Promise<void> {
  const orders = hear();
  const first = await orders.first;
  const { config } = first;
  const diagnostics = openDiagnostics();
  const { problem } = diagnostics;
  const thread = new WorkerThread();
  const openStore = () => openConfiguredStore(config.store, directory, problem, thread);
  const store = await orExit(waitForStore(openStore, config.store.wait, problem));
  const accounts = await orExit(openAccounts(store, config, diagnostics));
  const watching = await orExit(
    openWatching(config, environment, { accounts, thread, alone: false }, diagnostics),
  );
  diagnostics.into(watching.log);
  const passes = openCloudTokens(problem);
  const options = {
    keys: accounts.keys,
    limits: accounts.limits,
    callerUsage: accounts.callerUsage,
    storedIds: accounts.storedIds,
    passes,
    tell: problem,
    ...watching.company,
  };
  const open = ({ config: all, simulated }: Served, before?: Gateway) =>
    openConfigured(divideLimits(all), {
      ...options,
      ...(simulated && { simulated }),
      ...(before && { before }),
    });

  const serving = closingWith(
    await orExit(startServing(await orExit(open(first)), problem, orders.receive)),
    {
      accounts,
      watching,
      diagnostics,
    },
  );
  watching.follow(serving);
  answerMetricsRequests(watching.metrics);
  const ending = makeEnding(serving, diagnostics);
  let lastExchange = Promise.resolve();
  onSignals(ending);
  orders.obey({
    end: ending.begin,
    hurry: ending.hurry,
    serveBy(next) {
      lastExchange = lastExchange.then(() => exchange(next));
    },
  });
  optimize();
  tellFirst('ready');

  /** Serves by another configuration from now on. If it cannot be used, the old one stays. */
  async function exchange(next: Served): Promise<void> {
    try {
      await watching.reload(async () => serving.exchange(await open(next, serving.current().gateway)));
    } catch (error) {
      problem(`A worker keeps the old configuration: ${error}`);
    }
  }
}

/** The configuration of one worker: the limits that hold for all workers together are divided evenly. */
function divideLimits(config: Config): Config {
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
