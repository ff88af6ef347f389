/** Log, metrics and traces, opened together. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openLog } from '../../../src/accounting/log/log.ts';
import { NO_FIGURES } from '../../../src/accounting/metrics/counter-figures.ts';
import { openExchangeCounters } from '../../../src/accounting/metrics/counters.ts';
import { addFigures, openObservers } from '../../../src/accounting/observe.ts';
import { openConfigured } from '../../../src/cli/open-configured.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { openDiagnostics } from '../../../src/lib/diagnostics.ts';
import { openObservability } from '../../../src/server/process/observability.ts';
import { startServing } from '../../../src/server/process/serving.ts';
import { openStoreAccess } from '../../../src/server/process/store-access.ts';
import { openStore } from '../../../src/store/store.ts';
import { WorkerThread } from '../../../src/store/threads/worker-thread.ts';
import { KEY } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { startUpstream } from '../../support/upstream.ts';
import { parseExposition, sumOf } from './exposition.ts';
import { RECORD } from './records.ts';

test('the metrics include both the counters of requests and those of other components', async () => {
  const collector = await startUpstream((_, response) => response.writeHead(500).end());
  const tally = openExchangeCounters();
  const observers = await openObservers({
    counted: tally.figures,
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  let asked = 0;
  addFigures(observers.metrics, {
    inFlight: () => 7,
    webSockets: () => 4,
    usageLost: () => 2,
    reloadsRefused: () => 1,
    addressesRefused: () => 3,
    certificates: () => [{ field: 'tls', end: new Date('2027-01-01') }],
    budgets() {
      asked += 1;
      return [
        { of: 'key', name: 'team', period: 'month', budget: 5, left: -0.5, reserved: 0 },
        { of: 'group', name: 'team', period: 'month', budget: 500, left: 20, reserved: 0.25 },
        { of: 'key', name: 'search', models: 'openai/*', period: 'day', budget: 3, left: 1, reserved: 0 },
      ];
    },
    upstreams: () => [{ vendor: 'openai', place: '0', up: true, ejections: 0 }],
  });
  tally.record(RECORD);
  const samples = parseExposition(await observers.metrics.render());
  expect(sumOf(samples, 'gateway_requests_total')).toBe(1);
  expect(sumOf(samples, 'gateway_requests_in_flight')).toBe(7);
  expect(sumOf(samples, 'gateway_websockets_open')).toBe(4);
  expect(sumOf(samples, 'gateway_key_budget_dollars', { key: 'team', period: 'month' })).toBe(5);
  expect(sumOf(samples, 'gateway_key_budget_remaining_dollars', { key: 'team', period: 'month' })).toBe(-0.5);
  expect(sumOf(samples, 'gateway_group_budget_dollars', { group: 'team', period: 'month' })).toBe(500);
  expect(sumOf(samples, 'gateway_group_budget_remaining_dollars', { group: 'team', period: 'month' })).toBe(
    20,
  );
  expect(sumOf(samples, 'gateway_group_budget_reserved_dollars', { group: 'team' })).toBe(0.25);
  const byModel = { key: 'search', models: 'openai/*', period: 'day' };
  expect(sumOf(samples, 'gateway_key_budget_dollars', byModel)).toBe(3);
  expect(sumOf(samples, 'gateway_key_budget_remaining_dollars', byModel)).toBe(1);
  expect(asked).toBe(1);
  expect(sumOf(samples, 'gateway_usage_records_lost_total')).toBe(2);
  expect(sumOf(samples, 'gateway_config_reloads_refused_total')).toBe(1);
  expect(sumOf(samples, 'gateway_addresses_refused_total')).toBe(3);
  expect(sumOf(samples, 'gateway_spans_lost_total')).toBe(0);
  expect(samples.some(({ name }) => name === 'gateway_log_lines_dropped_total')).toBe(false);
  await observers.close(1_000);
  await collector.close();
});

test('log lines that were dropped, and spans that the collector did not accept, are among the metrics', async () => {
  const collector = await startUpstream((_, response) => response.writeHead(400).end());
  const stuck = new Writable({ write: () => undefined });
  const log = openLog({ style: 'json', stream: stuck, maxWaiting: 1_000 });
  const observers = await openObservers({
    log,
    counted: () => NO_FIGURES,
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  for (let at = 0; at < 20; at += 1) log.write(Buffer.from(`${'x'.repeat(99)}\n`));
  const trace = observers.traces?.begin({ format: 'messages', operation: 'generate' }, {});
  trace?.end({ ...RECORD, time: Date.now() });
  await observers.close(1_000);
  const samples = parseExposition(await observers.metrics.render());
  expect(sumOf(samples, 'gateway_log_lines_dropped_total')).toBe(20);
  expect(sumOf(samples, 'gateway_spans_lost_total')).toBe(1);
  await collector.close();
});

test('a serving process reports what was rejected and lost in it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-observe-'));
  const config = configSchema.parse({
    port: 0,
    log: 'none',
    sandbox: { pace: 'none' },
    keys: [{ name: 'team', key: KEY }],
    usage: { interval: 5 },
  });
  const store = await openStore({ path: join(directory, 'gateway.db') });
  const accounts = await openStoreAccess(store, config, openDiagnostics());
  const watching = await openObservability(
    config,
    {},
    { accounts, thread: new WorkerThread(), isOnlyProcess: true },
    openDiagnostics(),
  );
  const serving = await startServing(await openConfigured(config, watching.gatewayOptions), () => undefined);
  watching.observe(serving);
  watching.gatewayOptions.onRefusedAddress?.();
  await expect(watching.reload(() => Promise.reject(new Error('It is wrong.')))).rejects.toThrow('wrong');
  await watching.reload(() => Promise.resolve());
  const told = async (name: string): Promise<number> =>
    sumOf(parseExposition(await watching.metrics.render()), name);
  expect(await told('gateway_addresses_refused_total')).toBe(1);
  expect(await told('gateway_config_reloads_refused_total')).toBe(1);
  expect(await told('gateway_usage_records_lost_total')).toBe(0);
  // A constraint violation is permanent for the store; any other failure of a write may be temporary.
  await sql`create trigger refuse before insert on gateway_exchanges
    begin select raise(abort, 'refused'); end`.execute(store.db);
  const ask = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hello.' }] };
  const response = await postJson(`${serving.server.url}/v1/chat/completions`, ask);
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  await expect.poll(() => told('gateway_usage_records_lost_total')).toBe(1);
  await serving.server.drain(0);
  await serving.close();
  await watching.flush(1_000);
  await watching.close(1_000);
  await accounts.close();
  await rm(directory, { recursive: true });
});

test('metrics work without log and traces', async () => {
  const tally = openExchangeCounters();
  const observers = await openObservers({ counted: tally.figures, environment: {} });
  expect(observers.log).toBeUndefined();
  expect(observers.traces).toBeUndefined();
  tally.record(RECORD);
  expect(await observers.metrics.render()).toContain('gateway_requests_total{');
  await observers.close(1_000);
});
