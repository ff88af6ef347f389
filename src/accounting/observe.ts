/** What watches a gateway beside its log: metrics and traces. All of it is closed together. */

import type { Budget } from '../access/limits/budgets.ts';
import type { Environment } from '../lib/environment.ts';
import type { UpstreamHealth } from '../upstream/pool/upstreams.ts';
import type { Log } from './log/log.ts';
import type { CounterFigures } from './metrics/counter-figures.ts';
import { type Metrics, openMetrics } from './metrics/metrics.ts';
import { openTraces, type Traces } from './traces/traces.ts';

export interface ObserveOptions {
  /** Absent where none is wanted. */
  readonly log?: Log | undefined;
  /** Where the OTEL_ variables are. */
  readonly environment: Environment;
  /** What was counted of exchanges, for the metrics. */
  readonly counted: () => CounterFigures | Promise<CounterFigures>;
}

export interface Observers {
  /** Absent where none is wanted. */
  readonly log?: Log;
  readonly metrics: Metrics;
  /** Absent where no endpoint is set. An exchange's own trace is begun and ended where the exchange is. */
  readonly traces?: Traces;
  /** Writes and delivers what waits, for so many milliseconds at most. */
  close(milliseconds: number): Promise<void>;
}

/** @throws Error where the environment names an endpoint that is none. */
export async function openObservers({ log, environment, counted }: ObserveOptions): Promise<Observers> {
  const traces = await openTraces(environment);
  const metrics = openMetrics(counted);
  if (log !== undefined)
    metrics.counter(
      'gateway_log_lines_dropped_total',
      'Log lines dropped because they were not read in time.',
      log.dropped,
    );
  if (traces !== undefined)
    metrics.counter(
      'gateway_spans_lost_total',
      'Spans dropped because the collector did not accept them in time.',
      traces.lost,
    );
  return {
    ...(log !== undefined && { log }),
    ...(traces !== undefined && { traces }),
    metrics,
    async close(milliseconds) {
      metrics.close();
      await Promise.all([log?.close(milliseconds), traces?.close(milliseconds)]);
    },
  };
}

/** What others know of a gateway that is to be among its metrics. */
export interface Figures {
  readonly inFlight: () => number;
  /** WebSockets that are open. */
  readonly webSockets: () => number;
  readonly upstreams: () => Iterable<UpstreamHealth>;
  readonly budgets: () => Iterable<Budget>;
  /** Records of usage that were not stored. */
  readonly usageLost: () => number;
  /** Configurations that were read again and refused. */
  readonly reloadsRefused: () => number;
  /** Times that the name of a vendor stood for addresses that must not be asked. */
  readonly addressesRefused: () => number;
}

/** Counted in each process that serves, and where there are several by the first one. */
export const RELOADS_REFUSED = {
  name: 'gateway_config_reloads_refused_total',
  help: 'Configuration reloads that were refused because the new configuration was not valid.',
} as const;

/** Adds them, under the names that the dashboard and the alerts in `deploy/` know. */
export function addFigures(
  metrics: Metrics,
  { inFlight, webSockets, upstreams, budgets, usageLost, reloadsRefused, addressesRefused }: Figures,
): void {
  metrics.gauge('gateway_requests_in_flight', 'Exchanges in progress.', inFlight);
  metrics.gauge(
    'gateway_websockets_open',
    'Open WebSockets, whether or not a request is in progress.',
    webSockets,
  );
  metrics.upstreams(upstreams);
  metrics.budgets(budgets);
  metrics.counter(
    'gateway_usage_records_lost_total',
    'Exchanges whose usage could not be stored.',
    usageLost,
  );
  metrics.counter(RELOADS_REFUSED.name, RELOADS_REFUSED.help, reloadsRefused);
  metrics.counter(
    'gateway_addresses_refused_total',
    "Connections refused because a vendor's name resolved to a private or reserved address.",
    addressesRefused,
  );
}
