/**
 * The metrics that Prometheus reads. The values of every label are bounded: formats, faults and outcomes are closed
 * sets, vendors come from the configuration, and models from the catalog (others are no label), of which counters.ts
 * bounds the number. There may be any number of keys and groups, so they are a label of budgets only, whose number
 * budgets.ts bounds; usage by key and group is in the store.
 */

import { Counter, Gauge, Registry } from 'prom-client';
import type { Budget } from '../../access/limits/budgets.ts';
import type { UpstreamHealth } from '../../upstream/pool/upstreams.ts';
import { addCounter, addGauge } from './add-metrics.ts';
import { addBudgetMetrics } from './budget-metrics.ts';
import { type CounterFigures, NO_FIGURES } from './counter-figures.ts';
import { addExchangeMetrics } from './exchange-metrics.ts';
import { addProcessMetrics } from './process-metrics.ts';
import type { MetricSnapshot } from './snapshots.ts';

/** When the certificate at a field of the configuration expires. */
export interface CertificateEnd {
  readonly field: string;
  readonly end: Date;
}

export interface Metrics {
  /** Adds a counter. It is read at each scrape. @throws Error if the name is taken. */
  counter(name: string, help: string, read: () => number): void;
  /** Adds a gauge. The values of several processes are summed. */
  gauge(name: string, help: string, read: () => number): void;
  /** Sets the source of the health of vendors that have several upstreams. */
  upstreams(read: () => Iterable<UpstreamHealth>): void;
  /** Sets the source of the budgets of keys and groups. */
  budgets(read: () => Iterable<Budget>): void;
  /** Sets the source of the certificates that the gateway shows. */
  certificates(read: () => Iterable<CertificateEnd>): void;
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

  addExchangeMetrics(registry, () => figures);
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
  addBudgetMetrics(registry, () => budgets);
  let certificatesNow: () => Iterable<CertificateEnd> = () => [];
  new Gauge({
    name: 'gateway_certificate_expiry_timestamp_seconds',
    help: 'When a certificate that the gateway shows expires, in seconds since 1970; of several processes, the earliest.',
    labelNames: ['field'],
    registers,
    aggregator: 'min',
    collect() {
      this.reset();
      for (const { field, end } of certificatesNow()) this.set({ field }, end.getTime() / 1e3);
    },
  });
  const stopWatching = addProcessMetrics(registry);

  /** Reads, once for each scrape, what several metrics are made of. */
  async function lookUp(): Promise<void> {
    figures = await counted();
    budgets = [...budgetsNow()];
  }

  return {
    counter: (name, help, read) => addCounter(registry, name, help, read),
    gauge: (name, help, read) => addGauge(registry, name, help, read),
    upstreams(read) {
      places = read;
    },
    budgets(read) {
      budgetsNow = read;
    },
    certificates(read) {
      certificatesNow = read;
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
