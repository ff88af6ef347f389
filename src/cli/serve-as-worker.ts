/** `gateway start` in a worker: serves, and follows the first process. */

import { answerMetricsRequests } from '../accounting/metrics/worker-metrics.ts';
import type { Config } from '../config/schema.ts';
import type { Gateway } from '../pipeline/gateway.ts';
import { startServing } from '../server/process/serving.ts';
import { makeShutdown, onSignals } from '../server/process/shutdown.ts';
import { receiveOrders, reportToPrimary } from '../server/process/worker-channel.ts';
import type { ServedConfig } from '../server/process/worker-messages.ts';
import { orExit } from './command.ts';
import { closingWith, openConfigured, renewAddresses, type StartContext } from './open-configured.ts';
import { openProcessStore, openServices } from './open-services.ts';
import { optimize } from './optimize.ts';

/** Serves by the configurations that the first process sends, until it says to stop. */
export async function serveAsWorker({ environment, directory }: StartContext): Promise<void> {
  const orders = receiveOrders();
  const first = await orders.first;
  const { config } = first;
  const opened = await openProcessStore(config, directory);
  const { diagnostics } = opened;
  const { problem } = diagnostics;
  const { accounts, watching, gatewayOptions } = await openServices(config, environment, opened, false);
  const open = ({ config: all, simulated }: ServedConfig, before?: Gateway) =>
    openConfigured(divideLimits(all), {
      ...gatewayOptions,
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
