/**
 * The metrics of requests: what is counted, under which labels, and that the number of label values stays
 * small.
 */

import { afterEach, expect, test } from 'vitest';
import { MAX_MODELS, MAX_REQUEST_SERIES } from '../../../src/accounting/metrics/counters.ts';
import { renderAll } from '../../../src/accounting/metrics/snapshots.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { openUpstreams } from '../../../src/upstream/pool/upstreams.ts';
import type { Vendor } from '../../../src/upstream/vendor.ts';
import { parseExposition, type Sample, sumOf } from './exposition.ts';
import { countedMetrics, RECORD, REFUSED } from './records.ts';

const opened: ReturnType<typeof countedMetrics>[] = [];
afterEach(() => {
  for (const metrics of opened.splice(0)) metrics.close();
});

function open(): ReturnType<typeof countedMetrics> {
  const metrics = countedMetrics();
  opened.push(metrics);
  return metrics;
}

async function samplesOf(metrics: ReturnType<typeof countedMetrics>): Promise<readonly Sample[]> {
  return parseExposition(await metrics.render());
}

test('a request is counted with its tokens, cost and times', async () => {
  const metrics = open();
  metrics.record(RECORD);
  metrics.record(RECORD);
  const samples = await samplesOf(metrics);
  const model = { model: RECORD.model ?? '', vendor: 'anthropic' };
  expect(
    sumOf(samples, 'gateway_requests_total', {
      ...model,
      format: 'chat-completions',
      status: '200',
      outcome: 'complete',
      streamed: 'true',
    }),
  ).toBe(2);
  expect(sumOf(samples, 'gateway_tokens_total', { ...model, type: 'input' })).toBe(2_000);
  expect(sumOf(samples, 'gateway_tokens_total', { ...model, type: 'cache_read' })).toBe(1_200);
  expect(sumOf(samples, 'gateway_tokens_total', { ...model, type: 'cache_write' })).toBe(200);
  expect(sumOf(samples, 'gateway_tokens_total', { ...model, type: 'output' })).toBe(100);
  expect(sumOf(samples, 'gateway_tokens_total', { ...model, type: 'reasoning' })).toBe(40);
  expect(sumOf(samples, 'gateway_cost_dollars_total', model)).toBeCloseTo(0.025);
  expect(sumOf(samples, 'gateway_upstream_attempts_total', model)).toBe(2);
  expect(sumOf(samples, 'gateway_request_duration_seconds_sum', model)).toBeCloseTo(8.4);
  expect(sumOf(samples, 'gateway_time_to_first_token_seconds_count', model)).toBe(2);
  expect(samples.some(({ name }) => name === 'gateway_errors_total')).toBe(false);
});

test('a histogram is cumulative: each bucket includes those below it, and the last one includes all', async () => {
  const metrics = open();
  for (const duration of [50, 100, 101, 3_000, 900_000]) metrics.record({ ...RECORD, duration });
  const samples = await samplesOf(metrics);
  const at = (le: string): number => sumOf(samples, 'gateway_request_duration_seconds_bucket', { le });
  expect([at('0.1'), at('0.25'), at('2.5'), at('5'), at('640'), at('+Inf')]).toEqual([2, 3, 3, 4, 4, 5]);
  expect(sumOf(samples, 'gateway_request_duration_seconds_count')).toBe(5);
});

test('U-38 a request without usage is not free, and is counted', async () => {
  const metrics = open();
  const { cost: _, ...uncounted } = RECORD;
  metrics.record(RECORD);
  metrics.record(uncounted);
  metrics.record({ ...uncounted, operation: 'count-tokens' });
  metrics.record({ ...uncounted, operation: 'retrieve' });
  metrics.record({ ...uncounted, status: 400, fault: 'invalid-request' });
  metrics.record({ ...RECORD, estimated: { tokens: 1_000, cost: 0.5 } });
  const samples = await samplesOf(metrics);
  expect(sumOf(samples, 'gateway_uncounted_requests_total', { vendor: 'anthropic' })).toBe(1);
  expect(sumOf(samples, 'gateway_estimated_cost_dollars_total', { vendor: 'anthropic' })).toBe(0.5);
});

test('protocol violations in our own streams are counted, if they were validated', async () => {
  const metrics = open();
  metrics.record(RECORD);
  for (const violations of [2, 0, 1]) metrics.record({ ...RECORD, violations });
  expect(sumOf(await samplesOf(metrics), 'gateway_protocol_violations_total')).toBe(3);
});

test('an error is counted by its kind, and a rejected request has no model', async () => {
  const metrics = open();
  metrics.record(REFUSED);
  for (const id of ['one', 'other'])
    metrics.record({ ...RECORD, id, outcome: 'failed', status: 502, fault: 'upstream-broken' });
  const samples = await samplesOf(metrics);
  expect(
    sumOf(samples, 'gateway_errors_total', { fault: 'unauthenticated', format: 'messages', vendor: '' }),
  ).toBe(1);
  expect(sumOf(samples, 'gateway_errors_total', { fault: 'upstream-broken', vendor: 'anthropic' })).toBe(2);
  expect(sumOf(samples, 'gateway_requests_total', { status: '401', model: '' })).toBe(1);
  expect(
    samples.filter(({ name, labels }) => name === 'gateway_tokens_total' && labels['model'] === ''),
  ).toEqual([]);
});

test('with any number of models, vendors and statuses, there are fewer than 5,000 series', async () => {
  const metrics = open();
  const outcomes = ['complete', 'failed', 'client-closed'] as const;
  for (let at = 0; at < 20_000; at += 1) {
    metrics.record({
      ...RECORD,
      model: `openai/model-${at % 10_000}`,
      vendor: `vendor-${at % 3}`,
      status: 100 + (at % 500),
      outcome: outcomes[at % 3] ?? 'complete',
    });
  }
  const samples = await samplesOf(metrics);
  expect(samples.length).toBeLessThan(5_000);
  expect(sumOf(samples, 'gateway_requests_total')).toBe(20_000);
  expect(sumOf(samples, 'gateway_tokens_total', { type: 'output' })).toBe(20_000 * 50);
  expect(sumOf(samples, 'gateway_requests_total', { model: 'other' })).toBeGreaterThan(
    20_000 - 2 * MAX_REQUEST_SERIES,
  );
  const models = new Set(
    samples.filter(({ name }) => name === 'gateway_cost_dollars_total').map(({ labels }) => labels['model']),
  );
  expect(models.size).toBe(MAX_MODELS + 1);
});

test('a second scrape without new requests is the same', async () => {
  const metrics = open();
  metrics.record({ ...RECORD, estimated: { tokens: 9, cost: 0.5 }, violations: 1 });
  metrics.record({ ...RECORD, outcome: 'failed', status: 502, fault: 'upstream-broken', cost: undefined });
  metrics.record({ ...RECORD, cost: undefined });
  metrics.counter('gateway_things_total', 'Things.', () => 3);
  metrics.upstreams(() => [{ vendor: 'openai', place: '0', up: true, ejections: 2 }]);
  const ofGateway = async () =>
    (await samplesOf(metrics)).filter(({ name }) => /^gateway_(?!event_loop)/.test(name));
  const first = await ofGateway();
  expect(first.length).toBeGreaterThan(40);
  expect(await ofGateway()).toEqual(first);
});

test('impossible token counts are in no sum', async () => {
  const metrics = open();
  for (const usage of [{ input: 1e300, output: 5 }, { input: 5, output: Number.NaN }, RECORD.usage])
    metrics.record({ ...RECORD, usage });
  const samples = await samplesOf(metrics);
  expect(sumOf(samples, 'gateway_tokens_total', { type: 'input' })).toBe(1_000);
  expect(sumOf(samples, 'gateway_tokens_total', { type: 'output' })).toBe(50);
});

test('a label cannot escape from its quotes', async () => {
  const metrics = open();
  metrics.record({ ...RECORD, vendor: 'a"} 1\nfake_metric{b="\\' });
  const samples = await samplesOf(metrics);
  expect(samples.some(({ name }) => name === 'fake_metric')).toBe(false);
});

test('metrics of other components are read at the time of the scrape', async () => {
  const metrics = open();
  let inFlight = 3;
  let dropped = 1;
  let up = true;
  metrics.gauge('gateway_requests_in_flight', 'Exchanges under way.', () => inFlight);
  metrics.counter('gateway_log_lines_dropped_total', 'Lines nobody could take.', () => dropped);
  metrics.upstreams(() => [
    { vendor: 'openai', place: '0', up: true, ejections: 0 },
    { vendor: 'openai', place: '1', up, ejections: 1 },
  ]);
  let samples = await samplesOf(metrics);
  expect(sumOf(samples, 'gateway_requests_in_flight')).toBe(3);
  expect(sumOf(samples, 'gateway_log_lines_dropped_total')).toBe(1);
  expect(sumOf(samples, 'gateway_upstream_up', { place: '1' })).toBe(1);
  inFlight = 0;
  dropped = 5;
  up = false;
  samples = await samplesOf(metrics);
  expect(sumOf(samples, 'gateway_requests_in_flight')).toBe(0);
  expect(sumOf(samples, 'gateway_log_lines_dropped_total')).toBe(5);
  expect(sumOf(samples, 'gateway_upstream_up', { place: '1' })).toBe(0);
});

test('the process is monitored: a blocked event loop shows', async () => {
  const metrics = open();
  const longest = async (): Promise<number> => {
    // The first ticks of the timer, and those after a scrape, have no earlier tick to be compared with.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const until = performance.now() + 300;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 60));
    return sumOf(await samplesOf(metrics), 'gateway_event_loop_delay_seconds', { quantile: '1' });
  };
  await expect.poll(longest).toBeGreaterThan(0.1);
  const samples = await samplesOf(metrics);
  expect(sumOf(samples, 'gateway_event_loop_active_seconds_total')).toBeGreaterThan(0.3);
  expect(sumOf(samples, 'process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(sumOf(samples, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
  const used = sumOf(samples, 'nodejs_heap_size_used_bytes');
  expect(sumOf(samples, 'nodejs_heap_size_limit_bytes')).toBeGreaterThan(used);
  const descriptors = sumOf(samples, 'process_open_fds');
  if (process.platform === 'linux') expect(descriptors).toBeGreaterThan(3);
  expect(sumOf(samples, 'process_max_fds')).toBeGreaterThanOrEqual(descriptors);
});

test('two gateways in one process count separately, and can be read as one', async () => {
  const one = open();
  const two = open();
  one.record(RECORD);
  one.upstreams(() => [{ vendor: 'openai', place: '0', up: true, ejections: 0 }]);
  two.record(RECORD);
  two.record({ ...RECORD, duration: 50 });
  two.upstreams(() => [{ vendor: 'openai', place: '0', up: false, ejections: 2 }]);
  expect(sumOf(await samplesOf(one), 'gateway_requests_total')).toBe(1);
  // As it arrives from another process.
  const snapshots = [await one.snapshot(), await two.snapshot()].map((of) => structuredClone(of));
  const together = parseExposition(await renderAll(snapshots));
  expect(sumOf(together, 'gateway_requests_total')).toBe(3);
  expect(sumOf(together, 'gateway_request_duration_seconds_bucket', { le: '0.1' })).toBe(1);
  expect(sumOf(together, 'gateway_request_duration_seconds_bucket', { le: '+Inf' })).toBe(3);
  expect(sumOf(together, 'gateway_request_duration_seconds_sum')).toBeCloseTo(8.45);
  expect(sumOf(together, 'gateway_upstream_up', { vendor: 'openai' })).toBe(0);
});

test('an outage that fallbacks cover is counted, and its vendor is down', async () => {
  const metrics = open();
  const gaveWay = {
    model: 'openai/gpt-4o',
    vendor: 'openai',
    fault: 'upstream-broken',
    attempts: 1,
  } as const;
  for (let at = 0; at < 5; at += 1) metrics.record({ ...RECORD, attempts: 3, gaveWay: [gaveWay] });
  const attempts = async (vendor: string): Promise<number> =>
    sumOf(await samplesOf(metrics), 'gateway_upstream_attempts_total', { vendor });
  expect([await attempts('openai'), await attempts('anthropic')]).toEqual([5, 10]);
  // A vendor that reports too many requests is not down.
  for (let at = 0; at < 5; at += 1)
    metrics.record({ ...RECORD, gaveWay: [{ ...gaveWay, vendor: 'google', fault: 'rate-limited' }] });
  const samples = await samplesOf(metrics);
  expect(
    sumOf(samples, 'gateway_fallbacks_total', {
      model: 'openai/gpt-4o',
      vendor: 'openai',
      fault: 'upstream-broken',
      fallback: 'anthropic/claude-sonnet-4-5',
    }),
  ).toBe(5);
  const up = ['openai', 'google', 'anthropic'].map((vendor) =>
    sumOf(samples, 'gateway_upstream_up', { vendor }),
  );
  expect(up).toEqual([0, 1, 1]);
});

test('of several fallbacks in a row, each has its own attempts and failures', async () => {
  const metrics = open();
  const first = { model: 'openai/gpt-4o', vendor: 'openai', fault: 'upstream-broken', attempts: 1 } as const;
  const second = { ...first, model: 'google/gemini-2.5-flash', vendor: 'google', attempts: 2 } as const;
  for (let at = 0; at < 5; at += 1) metrics.record({ ...RECORD, attempts: 4, gaveWay: [first, second] });
  const samples = await samplesOf(metrics);
  const of = (name: string) =>
    ['openai', 'google', 'anthropic'].map((vendor) => sumOf(samples, name, { vendor }));
  expect(of('gateway_upstream_attempts_total')).toEqual([5, 10, 5]);
  expect(of('gateway_upstream_up')).toEqual([0, 0, 1]);
  // Which model replaced which.
  expect([
    sumOf(samples, 'gateway_fallbacks_total', { model: first.model, fallback: second.model }),
    sumOf(samples, 'gateway_fallbacks_total', {
      model: second.model,
      fallback: 'anthropic/claude-sonnet-4-5',
    }),
  ]).toEqual([5, 5]);
});

test('repairs of refused requests are counted by name', async () => {
  const metrics = open();
  metrics.record({ ...RECORD, repairs: ['without-thoughts', 'strictest-form'] });
  metrics.record({ ...RECORD, repairs: ['strictest-form'] });
  const samples = await samplesOf(metrics);
  const of = (repair: string) => sumOf(samples, 'gateway_repairs_total', { repair, vendor: 'anthropic' });
  expect([of('without-thoughts'), of('strictest-form')]).toEqual([1, 2]);
});

test('a vendor that has failed five times in a row counts as down, until it succeeds', async () => {
  const metrics = open();
  const up = async (): Promise<number> =>
    sumOf(await samplesOf(metrics), 'gateway_upstream_up', { vendor: 'anthropic', place: '0' });
  const failure = { ...RECORD, outcome: 'failed', status: 502, fault: 'upstream-broken' } as const;
  for (let at = 0; at < 4; at += 1) metrics.record(failure);
  expect(await up()).toBe(1);
  // Neither says anything about the vendor.
  metrics.record({ ...RECORD, outcome: 'client-closed' });
  metrics.record({ ...RECORD, outcome: 'refused', status: 429, fault: 'rate-limited' });
  metrics.record({ ...RECORD, outcome: 'failed', status: 502, fault: 'upstream-auth' });
  expect(await up()).toBe(0);
  // It rejected the request: so it is up.
  metrics.record({ ...RECORD, status: 400, fault: 'invalid-request' });
  expect(await up()).toBe(1);
});

test('a vendor with several upstreams reports which of them are skipped', async () => {
  const vendor: Vendor = {
    name: 'openai',
    origin: 'http://127.0.0.1:1',
    basePath: '',
    key: 'k',
    auth: 'authorization',
    fullIds: false,
    headers: {},
    formats: ['chat-completions'],
    upstreams: [1, 2].map((port) => ({
      origin: `http://127.0.0.1:${port}`,
      basePath: '',
      key: 'k',
      weight: 1,
    })),
  };
  const upstreams = openUpstreams([vendor], configSchema.parse({}));
  const metrics = open();
  metrics.upstreams(upstreams.health);
  metrics.record({ ...RECORD, vendor: 'openai' });
  const up = async (place: string): Promise<number> =>
    sumOf(await samplesOf(metrics), 'gateway_upstream_up', { vendor: 'openai', place });
  expect([await up('0'), await up('1')]).toEqual([1, 1]);
  const lease = await upstreams.getPool(vendor)?.take({ subject: 'openai/gpt-4o', caller: 'x' });
  lease?.fail('surely');
  lease?.release();
  const place = lease?.vendor.origin.endsWith(':1') ? '0' : '1';
  expect(await up(place)).toBe(0);
  const ejections = sumOf(await samplesOf(metrics), 'gateway_upstream_ejections_total', { place });
  expect(ejections).toBe(1);
  expect(await up(place === '0' ? '1' : '0')).toBe(1);
  upstreams.close();
});
