/** The figures of several processes as one: prom-client's own aggregation of plain JSON. */

import { AggregatorRegistry } from 'prom-client';

/** The figures of one process, as they can be sent to another one. */
export type MetricSnapshot = readonly object[];

/** Adds up the figures of several processes. */
export function addUpSnapshots(snapshots: readonly MetricSnapshot[]): Promise<MetricSnapshot> {
  return AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON();
}

/** Only the counters and histograms, which never fall. */
export function keepCounters(snapshot: MetricSnapshot): MetricSnapshot {
  return snapshot.filter(
    (metric) => 'type' in metric && (metric.type === 'counter' || metric.type === 'histogram'),
  );
}

/** Adds up the figures of several processes, and renders Prometheus's text format. */
export function renderAll(snapshots: readonly MetricSnapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics();
}
