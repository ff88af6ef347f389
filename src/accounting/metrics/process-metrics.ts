/** Figures about the process itself: the delay of its event loop, and the resources that it uses. */

import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Gauge, type Registry } from 'prom-client';
import { descriptorLimit, openDescriptors } from '../process/descriptors.ts';
import { residentMemory } from '../process/resident-memory.ts';
import { addCounter, addGauge } from './add-metrics.ts';

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
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();

  new Gauge({
    name: 'gateway_event_loop_delay_seconds',
    help: 'How late timers fired since the last scrape; of several processes, the worst.',
    labelNames: ['quantile'],
    registers: [registry],
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
  addCounter(
    registry,
    'gateway_event_loop_active_seconds_total',
    'Time that the event loop was busy: its rate is the share of time, 1 being fully busy.',
    () => performance.eventLoopUtilization().active / 1e3,
  );
  addCounter(registry, 'process_cpu_seconds_total', 'CPU time, user and system.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  addGauge(registry, 'process_resident_memory_bytes', 'Resident memory.', residentMemory);
  addGauge(
    registry,
    'nodejs_heap_size_used_bytes',
    'Used memory of the JavaScript heap.',
    () => getHeapStatistics().used_heap_size,
  );
  addGauge(
    registry,
    'nodejs_heap_size_limit_bytes',
    'Size limit of the JavaScript heap; of several processes, the smallest.',
    () => getHeapStatistics().heap_size_limit,
    'min',
  );
  addGauge(
    registry,
    'process_open_fds',
    'Open files and sockets; of several processes, the most. Linux only.',
    () => {
      const open = openDescriptors();
      return Number.isFinite(open) ? open : undefined;
    },
    'max',
  );
  addGauge(
    registry,
    'process_max_fds',
    'Limit on open files and sockets; of several processes, the lowest. Linux only.',
    descriptorLimit,
    'min',
  );
  addGauge(
    registry,
    'process_start_time_seconds',
    'Start time, in seconds since 1970; of several processes, the latest.',
    () => performance.timeOrigin / 1e3,
    'max',
  );
  return () => delay.disable();
}
