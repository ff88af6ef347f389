/** What watches a process that serves: its log, metrics and traces, and where their figures come from. */

import type { Accounts } from './accounts.ts';
import { admitAdmin } from './admin/admit.ts';
import type { Config } from './config/schema.ts';
import type { Metrics } from './observe/metrics.ts';
import { answerMetricsToAdmin } from './observe/metrics-endpoint.ts';
import { addFigures, type Observers, openObservers } from './observe/observe.ts';
import type { OpenOptions } from './open.ts';
import type { Serving } from './serving.ts';
import { openLater } from './usage/later.ts';

export interface Watching extends Observers {
  /** What a gateway is given to be watched, and its accounts with it. */
  readonly company: Pick<OpenOptions, 'record' | 'later' | 'traces' | 'metrics' | 'onRefusedAddress'>;
  /** From now on, what serves is among the figures. */
  follow(serving: Serving): void;
  /** Tells at once what was to be told in a moment. */
  settle(): void;
  /** Runs what reads a configuration again, and counts where it is refused. */
  reload(read: () => Promise<void>): Promise<void>;
}

/**
 * @param alone whether this is the only process: else what it knows is a part only, and is not told to callers.
 * @throws Error where the environment names a collector that is none.
 */
export async function openWatching(
  { log, admin }: Pick<Config, 'log' | 'admin'>,
  environment: Readonly<Record<string, string | undefined>>,
  accounts: Accounts,
  alone: boolean,
): Promise<Watching> {
  const observers = await openObservers({ log, environment });
  const { traces, record } = observers;
  const later = openLater();
  // Whoever reads the figures finds all that is over in them.
  const metrics: Metrics = {
    ...observers.metrics,
    render() {
      later.flush();
      return observers.metrics.render();
    },
    snapshot() {
      later.flush();
      return observers.metrics.snapshot();
    },
  };
  const admit = admin.key === undefined || !alone ? undefined : admitAdmin(admin.key);
  let refused = 0;
  let addressesRefused = 0;
  return {
    ...observers,
    metrics,
    company: {
      record(exchange) {
        accounts.record(exchange);
        record(exchange);
      },
      later: later.add,
      onRefusedAddress() {
        addressesRefused += 1;
      },
      ...(traces !== undefined && { traces }),
      ...(admit !== undefined && {
        metrics: (message) => answerMetricsToAdmin(metrics.render, admit, message),
      }),
    },
    follow: ({ server, current }) =>
      addFigures(metrics, {
        inFlight: server.live.inFlight,
        upstreams: () => current().gateway.upstreams.health(),
        usageLost: accounts.lost,
        reloadsRefused: () => refused,
        addressesRefused: () => addressesRefused,
      }),
    settle: later.flush,
    async reload(read) {
      try {
        await read();
      } catch (error) {
        refused += 1;
        throw error;
      }
    },
  };
}
