/** Adds metrics whose value is kept elsewhere. */

import { type Aggregator, Counter, Gauge, type Registry } from 'prom-client';

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

/**
 * Adds a gauge. It is read at each scrape, and stays as it is while that is undefined.
 * @param aggregator how the values of several processes become one.
 * @throws Error if the name is taken.
 */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | undefined,
  aggregator: Aggregator = 'sum',
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    aggregator,
    collect() {
      const value = read();
      if (value !== undefined) this.set(value);
    },
  });
}
