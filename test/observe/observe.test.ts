/** Everything that watches, opened together. */

import { expect, test } from 'vitest';
import { addFigures, openObservers } from '../../src/observe/observe.ts';
import { openTally } from '../../src/observe/tally.ts';
import { startUpstream } from '../support/upstream.ts';
import { parseExposition, sumOf } from './exposition.ts';
import { RECORD } from './records.ts';

test('what was counted and what others know is among the metrics', async () => {
  const collector = await startUpstream((_, response) => response.writeHead(500).end());
  const tally = openTally();
  const observers = await openObservers({
    counted: tally.figures,
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  addFigures(observers.metrics, {
    inFlight: () => 7,
    webSockets: () => 4,
    usageLost: () => 2,
    reloadsRefused: () => 1,
    addressesRefused: () => 3,
    upstreams: () => [{ vendor: 'openai', place: '0', up: true, ejections: 0 }],
  });
  tally.record(RECORD);
  const samples = parseExposition(await observers.metrics.render());
  expect(sumOf(samples, 'gateway_requests_total')).toBe(1);
  expect(sumOf(samples, 'gateway_requests_in_flight')).toBe(7);
  expect(sumOf(samples, 'gateway_websockets_open')).toBe(4);
  expect(sumOf(samples, 'gateway_usage_records_lost_total')).toBe(2);
  expect(sumOf(samples, 'gateway_config_reloads_refused_total')).toBe(1);
  expect(sumOf(samples, 'gateway_addresses_refused_total')).toBe(3);
  expect(sumOf(samples, 'gateway_spans_lost_total')).toBe(0);
  expect(samples.some(({ name }) => name === 'gateway_log_lines_dropped_total')).toBe(false);
  await observers.close(1_000);
  await collector.close();
});

test('without log and traces there are metrics', async () => {
  const tally = openTally();
  const observers = await openObservers({ counted: tally.figures, environment: {} });
  expect(observers.log).toBeUndefined();
  expect(observers.traces).toBeUndefined();
  tally.record(RECORD);
  expect(await observers.metrics.render()).toContain('gateway_requests_total{');
  await observers.close(1_000);
});
