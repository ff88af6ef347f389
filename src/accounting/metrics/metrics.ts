/**
 * The metrics that Prometheus reads. The values of every label are bounded: formats, faults and outcomes are closed
 * sets, vendors come from the configuration, and models from the catalog (others are no label), of which counters.ts
 * bounds the number. There may be any number of keys and groups, so they are a label of budgets only, whose number
 * budgets.ts bounds; usage by key and group is in the store.
 */

import { Counter, Gauge, Registry } from 'prom-client';
import type { Budget } from '../../access/limits/budgets.ts';
import type { AccountOf } from '../../access/limits/holder.ts';
import type { UpstreamHealth } from '../../upstream/pool/upstreams.ts';
import { CountedHistogram } from './counted-histogram.ts';
import {
  type Buckets,
  type CounterFigures,
  DURATION_BUCKETS,
  FIRST_BYTE_BUCKETS,
  type ModelSeries,
  NO_FIGURES,
  TOKEN_TYPES,
} from './counter-figures.ts';
import { watchProcess } from './process-metrics.ts';
import type { MetricSnapshot } from './snapshots.ts';

export interface Metrics {
  /** Adds a counter. It is read at each scrape. @throws Error if the name is taken. */
  counter(name: string, help: string, read: () => number): void;
  /** Adds a gauge. The values of several processes are summed. */
  gauge(name: string, help: string, read: () => number): void;
  /** Sets the source of the health of vendors that have several upstreams. */
  upstreams(read: () => Iterable<UpstreamHealth>): void;
  /** Sets the source of the budgets of keys and groups. */
  budgets(read: () => Iterable<Budget>): void;
  /** Renders Prometheus's text format. */
  render(): Promise<string>;
  /** The figures as data, for `renderAll` in the first process. */
  snapshot(): Promise<MetricSnapshot>;
  /** Stops measuring. */
  close(): void;
}

/** The failures in a row after which a vendor's only upstream counts as down. */
const DOWN_AFTER = 5;

/**
 * The metrics of one gateway, in a registry of their own.
 * @param counted returns the figures of exchanges at each scrape.
 */
export function openMetrics(counted: () => CounterFigures | Promise<CounterFigures>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  let figures = NO_FIGURES;

  new Counter({
    name: 'gateway_requests_total',
    help: 'Exchanges that are over. Model and vendor are empty if the request was refused before they were known.',
    labelNames: ['format', 'model', 'vendor', 'status', 'outcome', 'streamed'],
    registers,
    collect() {
      this.reset();
      for (const { labels, count } of figures.requests) this.inc(labels, count);
    },
  });
  new Counter({
    name: 'gateway_errors_total',
    help: 'Exchanges in which something went wrong, by kind of fault.',
    labelNames: ['fault', 'format', 'vendor'],
    registers,
    collect() {
      this.reset();
      for (const { labels, count } of figures.errors) this.inc(labels, count);
    },
  });
  new Counter({
    name: 'gateway_fallbacks_total',
    help: 'Requests whose model could not answer, by kind of fault, so that its fallback was asked.',
    labelNames: ['model', 'vendor', 'fault', 'fallback'],
    registers,
    collect() {
      this.reset();
      for (const { labels, count } of figures.fallbacks) this.inc(labels, count);
    },
  });
  new Counter({
    name: 'gateway_tokens_total',
    help: 'Tokens as reported by vendors. Input includes cache reads and writes, output includes reasoning.',
    labelNames: ['model', 'vendor', 'type'],
    registers,
    collect() {
      this.reset();
      for (const { labels, tokens } of figures.models) {
        for (const type of TOKEN_TYPES) if (tokens[type] > 0) this.inc({ ...labels, type }, tokens[type]);
      }
    },
  });
  perModel(
    'gateway_cost_dollars_total',
    "Cost in US dollars, as the vendor reports or by the catalog's prices.",
    ({ cost }) => cost,
  );
  perModel(
    'gateway_estimated_cost_dollars_total',
    'Estimated cost in US dollars of text whose usage vendors did not report. Budgets count it.',
    ({ estimated }) => (estimated > 0 ? estimated : undefined),
  );
  perModel(
    'gateway_uncounted_requests_total',
    'Answers whose vendor reported no usage: they may have cost something, but how much is unknown.',
    ({ uncounted }) => (uncounted > 0 ? uncounted : undefined),
  );
  perModel(
    'gateway_upstream_attempts_total',
    'Requests sent to vendors, including retries and those before a fallback.',
    ({ attempts }) => attempts,
  );
  histogram(
    'gateway_request_duration_seconds',
    'Time from the request to the end of its answer.',
    DURATION_BUCKETS,
    ({ duration }) => duration,
  );
  histogram(
    'gateway_time_to_first_token_seconds',
    "Time from the request to the first byte of the vendor's answer.",
    FIRST_BYTE_BUCKETS,
    ({ firstByte }) => firstByte,
  );
  addCounter(
    registry,
    'gateway_protocol_violations_total',
    "Violations of a format's rules in the gateway's own streams, if `validate` is set.",
    () => figures.violations,
  );
  let places: () => Iterable<UpstreamHealth> = () => [];
  new Gauge({
    name: 'gateway_upstream_up',
    help: "1 if a vendor's upstream is in use; 0 if it is left out because it fails or, if it is the only one, has failed five times in a row.",
    labelNames: ['vendor', 'place'],
    registers,
    // Of several processes, one that sees it down decides.
    aggregator: 'min',
    collect() {
      this.reset();
      for (const { vendor, failuresInARow } of figures.vendors)
        this.set({ vendor, place: '0' }, failuresInARow < DOWN_AFTER ? 1 : 0);
      for (const { vendor, place, up } of places()) this.set({ vendor, place }, up ? 1 : 0);
    },
  });
  new Counter({
    name: 'gateway_upstream_ejections_total',
    help: "How often one of a vendor's upstreams was left out because it failed.",
    labelNames: ['vendor', 'place'],
    registers,
    collect() {
      this.reset();
      for (const { vendor, place, ejections } of places()) this.inc({ vendor, place }, ejections);
    },
  });
  let budgetsNow: () => Iterable<Budget> = () => [];
  /** The budgets at this scrape, the same ones for all metrics. */
  let budgets: Iterable<Budget> = [];
  budgetsOf('key');
  budgetsOf('group');
  const stopWatching = watchProcess(registry);

  function budgetsOf(kind: AccountOf): void {
    new Gauge({
      name: `gateway_${kind}_budget_dollars`,
      help: `Budget of a ${kind} in US dollars for the present day or month (UTC). Only of ${kind}s that were used lately.`,
      labelNames: [kind, 'period', 'models'],
      registers,
      aggregator: 'max',
      collect() {
        this.reset();
        for (const { of, name, period, models, budget } of budgets)
          if (of === kind) this.set({ [kind]: name, period, ...(models && { models }) }, budget);
      },
    });
    new Gauge({
      name: `gateway_${kind}_budget_remaining_dollars`,
      help: `What is left of a ${kind}'s budget in US dollars; below 0 if its last answers went beyond it.`,
      labelNames: [kind, 'period', 'models'],
      registers,
      // Of several processes, the one that knows of the most spending decides.
      aggregator: 'min',
      collect() {
        this.reset();
        for (const { of, name, period, models, left } of budgets)
          if (of === kind) this.set({ [kind]: name, period, ...(models && { models }) }, left);
      },
    });
  }

  /** Adds a counter with a series for each model; a model whose figure is undefined has none. */
  function perModel(name: string, help: string, pick: (of: ModelSeries) => number | undefined): void {
    new Counter({
      name,
      help,
      labelNames: ['model', 'vendor'],
      registers,
      collect() {
        this.reset();
        for (const series of figures.models) {
          const value = pick(series);
          if (value !== undefined) this.inc(series.labels, value);
        }
      },
    });
  }

  function histogram(
    name: string,
    help: string,
    bounds: readonly number[],
    pick: (of: ModelSeries) => Buckets,
  ): void {
    new CountedHistogram(
      { name, help, labelNames: ['model', 'vendor'], buckets: [...bounds], registers },
      function* () {
        for (const series of figures.models) yield { labels: series.labels, buckets: pick(series) };
      },
    );
  }

  /** Reads, once for each scrape, what several metrics are made of. */
  async function lookUp(): Promise<void> {
    figures = await counted();
    budgets = [...budgetsNow()];
  }

  return {
    counter: (name, help, read) => addCounter(registry, name, help, read),
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
    upstreams(read) {
      places = read;
    },
    budgets(read) {
      budgetsNow = read;
    },
    async render() {
      await lookUp();
      return registry.metrics();
    },
    async snapshot() {
      await lookUp();
      return registry.getMetricsAsJSON();
    },
    close: stopWatching,
  };
}

/** Adds a counter. It is read at each scrape. @throws Error if the name is taken. */
export function addCounter(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}
