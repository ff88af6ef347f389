/** What watches a gateway: its log, metrics and traces. They are closed together. */

import type { Budget } from '../access/limits/budgets.ts';
import type { LogProblem } from '../lib/diagnostics.ts';
import type { Environment } from '../lib/environment.ts';
import type { UpstreamHealth } from '../upstream/pool/upstreams.ts';
import type { Log } from './log/log.ts';
import type { CounterFigures } from './metrics/counter-figures.ts';
import { type CertificateEnd, type Metrics, openMetrics } from './metrics/metrics.ts';
import { openTraces, type Traces } from './traces/traces.ts';

export interface ObserveOptions {
  /** Absent if no log is wanted. */
  readonly log?: Log | undefined;
  /** Has the OTEL_ variables. */
  readonly environment: Environment;
  /** Returns the figures of the accounting worker, for the metrics. */
  readonly counted: () => CounterFigures | Promise<CounterFigures>;
  /** Told if traces cannot be delivered. */
  readonly problem?: LogProblem;
}

export interface Observers {
  /** Absent if no log is wanted. */
  readonly log?: Log;
  readonly metrics: Metrics;
  /** Absent if no endpoint is set. The trace of each exchange begins and ends with the exchange. */
  readonly traces?: Traces;
  /** Writes and delivers what waits, for at most so many milliseconds. */
  close(milliseconds: number): Promise<void>;
}

/** @throws Error if an endpoint in the environment is not valid. */
export async function openObservers({
  log,
  environment,
  counted,
  problem,
}: ObserveOptions): Promise<Observers> {
  const traces = await openTraces(environment, problem);
  const metrics = openMetrics(counted);
  if (log !== undefined)
    metrics.counter(
      'gateway_log_lines_dropped_total',
      'Log lines dropped because they were not read in time or could not be written.',
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

/** Figures for the metrics that other parts of the gateway know. */
export interface Figures {
  readonly inFlight: () => number;
  /** Open WebSockets. */
  readonly webSockets: () => number;
  readonly upstreams: () => Iterable<UpstreamHealth>;
  readonly budgets: () => Iterable<Budget>;
  /** Exchanges whose usage could not be stored. */
  readonly usageLost: () => number;
  /** Reloads of the configuration that were refused. */
  readonly reloadsRefused: () => number;
  /** Connections that were refused because a vendor's name resolved to an address that must not be asked. */
  readonly addressesRefused: () => number;
  /** When each certificate that the gateway shows expires, by the field of the configuration. */
  readonly certificates: () => Iterable<CertificateEnd>;
}

/** Counted by each process that serves; if there are several, by the first process too. */
export const RELOADS_REFUSED = {
  name: 'gateway_config_reloads_refused_total',
  help: 'Configuration reloads that were refused because the new configuration was not valid.',
} as const;

/** Adds the figures, under the names that the dashboard and the alerts in `deploy/` use. */
export function addFigures(metrics: Metrics, figures: Figures): void {
  metrics.gauge('gateway_requests_in_flight', 'Exchanges in progress.', figures.inFlight);
  metrics.gauge(
    'gateway_websockets_open',
    'Open WebSockets, whether or not a request is in progress.',
    figures.webSockets,
  );
  metrics.upstreams(figures.upstreams);
  metrics.budgets(figures.budgets);
  metrics.certificates(figures.certificates);
  metrics.counter(
    'gateway_usage_records_lost_total',
    'Exchanges whose usage could not be stored.',
    figures.usageLost,
  );
  metrics.counter(RELOADS_REFUSED.name, RELOADS_REFUSED.help, figures.reloadsRefused);
  metrics.counter(
    'gateway_addresses_refused_total',
    "Connections refused because a vendor's name resolved to a private or reserved address.",
    figures.addressesRefused,
  );
}
