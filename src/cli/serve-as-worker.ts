/** `gateway start` in a worker: serves, and follows the first process. */

import { answerMetricsRequests } from '../accounting/metrics/worker-metrics.ts';
import type { Config } from '../config/schema.ts';
import { openDiagnostics } from '../lib/diagnostics.ts';
import type { Gateway } from '../pipeline/gateway.ts';
import { logWarnings } from '../server/process/log-warnings.ts';
import { openObservability } from '../server/process/observability.ts';
import { startServing } from '../server/process/serving.ts';
import { makeShutdown, onSignals } from '../server/process/shutdown.ts';
import { openStoreAccess } from '../server/process/store-access.ts';
import { receiveOrders, reportToPrimary } from '../server/process/worker-channel.ts';
import type { ServedConfig } from '../server/process/worker-messages.ts';
import { openConfiguredStore } from '../store/configured-store.ts';
import { WorkerThread } from '../store/threads/worker-thread.ts';
import { waitForStore } from '../store/wait-for-store.ts';
import { openCloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { orExit } from './command.ts';
import { closingWith, openConfigured, renewAddresses, type StartContext } from './open-configured.ts';
import { optimize } from './optimize.ts';

/** Serves by the configurations that the first process sends, until it says to stop. */
export async function serveAsWorker({ environment, directory }: StartContext): Promise<void> {
  const orders = receiveOrders();
  const first = await orders.first;
  const { config } = first;
  const diagnostics = openDiagnostics();
  const { problem } = diagnostics;
  logWarnings(problem);
  const thread = new WorkerThread();
  const openStore = () => openConfiguredStore(config.store, directory, problem, thread);
  const store = await orExit(waitForStore(openStore, config.store.wait, problem));
  const accounts = await orExit(openStoreAccess(store, config, diagnostics));
  const watching = await orExit(
    openObservability(config, environment, { accounts, thread, isOnlyProcess: false }, diagnostics),
  );
  diagnostics.into(watching.log);
  const options = {
    ...accounts.gatewayOptions,
    cloudTokens: openCloudTokens(problem),
    log: problem,
    ...watching.gatewayOptions,
  };
  const open = ({ config: all, simulated }: ServedConfig, before?: Gateway) =>
    openConfigured(divideLimits(all), {
      ...options,
      ...(simulated && { simulated }),
      ...(before && { previous: before }),
    });

  const serving = closingWith(await orExit(startServing(await orExit(open(first)), problem, orders.listen)), {
    accounts,
    watching,
    diagnostics,
  });
  watching.observe(serving);
  answerMetricsRequests(watching.metrics);
  const ending = makeShutdown(serving, diagnostics);
  let lastExchange = Promise.resolve();
  onSignals(ending);
  orders.handleOrders({
    end: ending.begin,
    hurry: ending.force,
    serveBy(next) {
      lastExchange = lastExchange.then(() => exchange(next));
    },
  });
  optimize();
  reportToPrimary('ready');

  /** Serves by another configuration from now on. If it cannot be used, the old one stays. */
  async function exchange(next: ServedConfig): Promise<void> {
    try {
      await watching.reload(async () => serving.replace(await open(next, serving.current().gateway)));
      renewAddresses(next.config, { accounts, watching });
    } catch (error) {
      problem(`A worker keeps the old configuration: ${error}`);
    }
  }
}

/** The configuration of one worker: the limits that hold for all workers together are divided evenly. */
function divideLimits(config: Config): Config {
  const shares = DIVIDED.map((name) => [name, Math.ceil(config.limits[name] / config.workers)]);
  return { ...config, limits: { ...config.limits, ...Object.fromEntries(shares) } };
}

const DIVIDED = [
  'inFlight',
  'inFlightPerKey',
  'webSockets',
  'webSocketsPerKey',
  'pendingBytes',
  'pendingBytesPerKey',
] as const satisfies readonly (keyof Config['limits'])[];
