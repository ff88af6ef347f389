/**
 * A prom-client histogram with figures that were counted elsewhere: prom-client's own class does not accept whole
 * buckets.
 */

import { Histogram, type HistogramConfiguration } from 'prom-client';
import type { Buckets } from './counter-figures.ts';

export interface CountedSeries<T extends string> {
  readonly labels: Readonly<Record<T, string>>;
  readonly buckets: Buckets;
}

interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly sharedLabels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Its figures are read whenever it is collected; nothing is observed by it. */
export class CountedHistogram<T extends string> extends Histogram<T> {
  readonly #configuration: HistogramConfiguration<T>;
  readonly #read: () => Iterable<CountedSeries<T>>;

  /** @param read returns all series at the time of collection. */
  constructor(configuration: HistogramConfiguration<T>, read: () => Iterable<CountedSeries<T>>) {
    super(configuration);
    this.#configuration = configuration;
    this.#read = read;
  }

  /**
   * The method from which prom-client (15.1, lib/histogram.js) takes all figures, for its text format and for `get`.
   */
  async getForPromString() {
    const { name, help } = this.#configuration;
    const values: Value[] = [];
    for (const { labels: sharedLabels, buckets } of this.#read()) {
      let total = 0;
      for (const [at, count] of buckets.counts.entries()) {
        total += count;
        const le = String(buckets.bounds[at] ?? '+Inf');
        values.push({ metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: total });
      }
      values.push({ metricName: `${name}_sum`, labels: {}, sharedLabels, value: buckets.sum });
      values.push({ metricName: `${name}_count`, labels: {}, sharedLabels, value: total });
    }
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}
