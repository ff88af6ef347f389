/** A prom-client histogram whose figures were counted elsewhere: its own has no door for whole buckets. */

import { Histogram, type HistogramConfiguration } from 'prom-client';
import type { Buckets } from './counter-figures.ts';

export interface TalliedSeries<T extends string> {
  readonly labels: Readonly<Record<T, string>>;
  readonly buckets: Buckets;
}

interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly sharedLabels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What it tells is read whenever it is asked; nothing is observed by it. */
export class TalliedHistogram<T extends string> extends Histogram<T> {
  readonly #configuration: HistogramConfiguration<T>;
  readonly #read: () => Iterable<TalliedSeries<T>>;

  /** @param read gives every series there is, when somebody asks. */
  constructor(configuration: HistogramConfiguration<T>, read: () => Iterable<TalliedSeries<T>>) {
    super(configuration);
    this.#configuration = configuration;
    this.#read = read;
  }

  /** Where prom-client (15.1, lib/histogram.js) takes all its figures from, for its text and for `get`. */
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
