/** Metrics of exchanges, from the figures that the accounting worker counts. */

import { Counter, type Registry } from 'prom-client';
import { addCounter } from './add-metrics.ts';
import { CountedHistogram } from './counted-histogram.ts';
import {
  type Buckets,
  type CounterFigures,
  DURATION_BUCKETS,
  FIRST_BYTE_BUCKETS,
  type ModelSeries,
  TOKEN_TYPES,
} from './counter-figures.ts';

/** Adds the metrics to a registry. @param read returns the figures of the present scrape. */
export function addExchangeMetrics(registry: Registry, read: () => CounterFigures): void {
  const registers = [registry];

  new Counter({
    name: 'gateway_requests_total',
    help: 'Exchanges that are over. Model and vendor are empty if the request was refused before they were known.',
    labelNames: ['format', 'model', 'vendor', 'status', 'outcome', 'streamed'],
    registers,
    collect() {
      this.reset();
      for (const { labels, count } of read().requests) this.inc(labels, count);
    },
  });
  new Counter({
    name: 'gateway_errors_total',
    help: 'Exchanges in which something went wrong, by kind of fault.',
    labelNames: ['fault', 'format', 'vendor'],
    registers,
    collect() {
      this.reset();
      for (const { labels, count } of read().errors) this.inc(labels, count);
    },
  });
  new Counter({
    name: 'gateway_fallbacks_total',
    help: 'Requests whose model could not answer, by kind of fault, so that its fallback was asked.',
    labelNames: ['model', 'vendor', 'fault', 'fallback'],
    registers,
    collect() {
      this.reset();
      for (const { labels, count } of read().fallbacks) this.inc(labels, count);
    },
  });
  new Counter({
    name: 'gateway_repairs_total',
    help: 'What was done to requests that a vendor refused, so that they could be sent once more, by name.',
    labelNames: ['repair', 'model', 'vendor'],
    registers,
    collect() {
      this.reset();
      for (const { labels, count } of read().repairs) this.inc(labels, count);
    },
  });
  new Counter({
    name: 'gateway_tokens_total',
    help: 'Tokens as reported by vendors. Input includes cache reads and writes, output includes reasoning.',
    labelNames: ['model', 'vendor', 'type'],
    registers,
    collect() {
      this.reset();
      for (const { labels, tokens } of read().models) {
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
    () => read().violations,
  );
  /** Adds a counter with a series for each model; a model whose figure is undefined has none. */
  function perModel(name: string, help: string, pick: (of: ModelSeries) => number | undefined): void {
    new Counter({
      name,
      help,
      labelNames: ['model', 'vendor'],
      registers,
      collect() {
        this.reset();
        for (const series of read().models) {
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
        for (const series of read().models) yield { labels: series.labels, buckets: pick(series) };
      },
    );
  }
}
