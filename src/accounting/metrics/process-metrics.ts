/** Figures about the process itself: the delay of its event loop, and the resources that it uses. */

import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge, type Registry } from 'prom-client';
import { descriptorLimit, openDescriptors } from '../process/descriptors.ts';
import { residentMemory } from '../process/resident-memory.ts';

/** The interval of the loop's timer in milliseconds; shorter delays are not measured. */
const RESOLUTION = 20;

const QUANTILES = [
  ['0.5', 50],
  ['0.9', 90],
  ['0.99', 99],
  ['1', 100],
] as const;

/**
 * Adds the figures, under the names that other clients of Prometheus use where they have them. @returns a function that
 * stops the measuring.
 */
export function addProcessMetrics(registry: Registry): () => void {
  const registers = [registry];
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();

  new Gauge({
    name: 'gateway_event_loop_delay_seconds',
    help: 'How late timers fired since the last scrape; of several processes, the worst.',
    labelNames: ['quantile'],
    registers,
    aggregator: 'max',
    collect() {
      for (const [quantile, percent] of QUANTILES) {
        // The histogram measures the time from one timer to the next, which includes the interval.
        const nanoseconds = delay.count === 0 ? 0 : delay.percentile(percent);
        this.set({ quantile }, Math.max(0, nanoseconds / 1e9 - RESOLUTION / 1e3));
      }
      delay.reset();
    },
  });
  new Counter({
    name: 'gateway_event_loop_active_seconds_total',
    help: 'Time that the event loop was busy: its rate is the share of time, 1 being fully busy.',
    registers,
    collect() {
      this.reset();
      this.inc(performance.eventLoopUtilization().active / 1e3);
    },
  });
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time, user and system.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory.',
    registers,
    collect() {
      const resident = residentMemory();
      if (resident !== undefined) this.set(resident);
    },
  });
  new Gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Used memory of the JavaScript heap.',
    registers,
    collect() {
      this.set(getHeapStatistics().used_heap_size);
    },
  });
  new Gauge({
    name: 'nodejs_heap_size_limit_bytes',
    help: 'Size limit of the JavaScript heap; of several processes, the smallest.',
    registers,
    aggregator: 'min',
    collect() {
      this.set(getHeapStatistics().heap_size_limit);
    },
  });
  new Gauge({
    name: 'process_open_fds',
    help: 'Open files and sockets; of several processes, the most. Linux only.',
    registers,
    aggregator: 'max',
    collect() {
      const open = openDescriptors();
      if (open !== undefined && Number.isFinite(open)) this.set(open);
    },
  });
  new Gauge({
    name: 'process_max_fds',
    help: 'Limit on open files and sockets; of several processes, the lowest. Linux only.',
    registers,
    aggregator: 'min',
    collect() {
      const limit = descriptorLimit();
      if (limit !== undefined) this.set(limit);
    },
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time, in seconds since 1970; of several processes, the latest.',
    registers,
    aggregator: 'max',
    collect() {
      this.set(performance.timeOrigin / 1e3);
    },
  });
  return () => delay.disable();
}
