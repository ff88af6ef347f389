/** Adds counters whose value is read elsewhere. */

import { Counter, type Registry } from 'prom-client';

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
