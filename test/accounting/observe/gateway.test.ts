/**
 * Observability of a real gateway: what is traced, counted and logged of real requests, and what never is.
 */

import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CallerRequest } from '../../../src/access/caller.ts';
import { exchangeLines } from '../../../src/accounting/log/exchange-line.ts';
import { type Log, openLog } from '../../../src/accounting/log/log.ts';
import { openExchangeCounters } from '../../../src/accounting/metrics/counters.ts';
import { type Metrics, openMetrics } from '../../../src/accounting/metrics/metrics.ts';
import { answerMetricsToAdmin } from '../../../src/accounting/metrics/metrics-endpoint.ts';
import { openTraces, type Traces } from '../../../src/accounting/traces/traces.ts';
import type { ExchangeRecord } from '../../../src/accounting/usage/exchange-record.ts';
import { recording } from '../../../src/accounting/usage/make-record.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { authenticateAdmin } from '../../../src/server/http/admin/authenticate-admin.ts';
import { serve } from '../../../src/server/listen/server.ts';
import { openGateway } from '../../../src/server/open-gateway.ts';
import { chatCompletion } from '../../support/chat-completion.ts';
import { KEY, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { json, startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { parseExposition, sumOf } from './exposition.ts';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;

let collector: TestUpstream;
let vendor: TestUpstream;
let url = '';
let metrics: Metrics;
let log: Log;
let traces: Traces;
let logged = '';
let end: () => Promise<void>;
let fails = false;
const records: ExchangeRecord[] = [];

beforeAll(async () => {
  collector = await startUpstream((_, response) => json(response, {}));
  vendor = await startUpstream((_, response) => {
    if (fails) response.destroy();
    else json(response, chatCompletion('ANSWER-CANARY'));
  });
  const config = configSchema.parse({
    port: 0,
    vendors: vendorsAtUrl(vendor.url),
    keys: [{ name: 'team', key: KEY }],
    retries: { limit: 0 },
  });
  const opened = await openGateway(config);
  const tally = openExchangeCounters();
  metrics = openMetrics(tally.figures);
  const line = exchangeLines('json');
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  log = openLog({ style: 'json', stream });
  const collected = await openTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  if (collected === undefined) throw new Error('There are no traces.');
  traces = collected;
  const gateway = {
    ...opened.gateway,
    traces,
    metrics: (message: CallerRequest) =>
      answerMetricsToAdmin(
        metrics.render,
        authenticateAdmin(
          () => 'admin-key-of-the-tests',
          () => {},
        ),
        message,
      ),
    record: recording((record) => {
      records.push(record);
      tally.record(record);
      log.write(Buffer.from(line(record)));
    }),
  };
  const server = await serve(() => gateway, config);
  url = server.url;
  end = async () => {
    await server.drain(0);
    await opened.close();
  };
});
afterAll(async () => {
  metrics.close();
  await vendor.close();
  await collector.close();
});
beforeEach(() => {
  fails = false;
});

function ask(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return postJson(`${url}${path}`, body, { headers });
}

const prompt = {
  model: 'openai/gpt-4.1',
  max_tokens: 50,
  messages: [{ role: 'user', content: 'PROMPT-CANARY' }],
};

test.each([
  ['natively', '/v1/chat/completions'],
  ['translated', '/v1/messages'],
])(
  '%s: the request to the vendor joins the caller’s trace, under a span of the gateway’s own',
  async (_, path) => {
    const before = vendor.received.length;
    const response = await ask(path, prompt, { traceparent: TRACEPARENT, tracestate: 'a=1' });
    expect(response.status).toBe(200);
    await response.text();
    const headers = vendor.received[before]?.headers;
    expect(headers?.['traceparent']).toMatch(new RegExp(`^00-${CALLER.traceId}-[\\da-f]{16}-01$`));
    expect(headers?.['traceparent']).not.toBe(TRACEPARENT);
    expect(headers?.['tracestate']).toBe('a=1');
  },
);

test('a caller without a trace does not get another caller’s', async () => {
  const before = vendor.received.length;
  await (await ask('/v1/chat/completions', prompt, { tracestate: 'a=1' })).text();
  const headers = vendor.received[before]?.headers;
  expect(headers?.['traceparent']).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/);
  expect(headers?.['traceparent']).not.toContain(CALLER.traceId);
  expect(headers?.['tracestate']).toBeUndefined();
});

test('the requested model is recorded, even if only the path names it', async () => {
  const path = '/v1beta/models/gemini-2.5-flash';
  const body = { contents: [{ parts: [{ text: 'PROMPT-CANARY' }] }] };
  for (const [method, operation] of [
    ['countTokens', 'count-tokens'],
    ['generateContent', 'generate'],
  ] as const) {
    const before = records.length;
    await (await ask(`${path}:${method}`, body)).text();
    await expect.poll(() => records.length).toBeGreaterThan(before);
    expect(records.at(-1)).toMatchObject({ format: 'generate-content', operation });
  }
});

test('failures are counted and logged by their kind', async () => {
  fails = true;
  const response = await ask('/v1/chat/completions?note=QUERY-CANARY', prompt, {
    'x-request-id': 'req-broken',
  });
  expect(response.status).toBe(502);
  await response.text();
  await (await ask('/v1/messages', prompt, { authorization: 'Bearer KEY-CANARY' })).text();
  await expect
    .poll(async () => sumOf(parseExposition(await metrics.render()), 'gateway_requests_total'))
    .toBe(7);
  const samples = parseExposition(await metrics.render());
  expect(sumOf(samples, 'gateway_errors_total', { fault: 'upstream-broken', vendor: 'openai' })).toBe(1);
  expect(sumOf(samples, 'gateway_errors_total', { fault: 'unauthenticated', format: 'messages' })).toBe(1);
  expect(sumOf(samples, 'gateway_tokens_total', { model: 'openai/gpt-4.1', type: 'output' })).toBe(15);
  expect(sumOf(samples, 'gateway_cost_dollars_total', { model: 'openai/gpt-4.1' })).toBeGreaterThan(0);
  // For the five that a vendor answered, the time of the first byte is recorded, and it precedes the end.
  expect(sumOf(samples, 'gateway_time_to_first_token_seconds_count')).toBe(5);
  for (const { firstByte, duration } of records.slice(0, 5)) expect(firstByte).toBeLessThan(duration);
});

test('the metrics are on the public listener for the admin key, and for others that path does not exist', async () => {
  const get = (authorization: string): Promise<Response> =>
    fetch(`${url}/metrics`, { headers: { authorization } });
  const answer = await get('Bearer admin-key-of-the-tests');
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('gateway_requests_total{');
  for (const authorization of ['', `Bearer ${KEY}`, 'Bearer wrong']) {
    const refused = await get(authorization);
    expect(refused.status).toBe(404);
    expect(await refused.json()).toEqual(
      await (await fetch(`${url}/admin/no-such-path`, { headers: { authorization } })).json(),
    );
  }
});

test('no content of a request or answer, and no key, query or address, is in any of them', async () => {
  await end();
  await log.close(1_000);
  await traces.close(5_000);
  const lines = logged.trimEnd().split('\n');
  expect(lines).toHaveLength(7);
  expect(logged).toContain('"id":"req-broken"');
  const told = collector.received.map(({ body }) => body.toString('utf8')).join('\n');
  expect(told).toContain('chat gpt-4.1');
  expect(told).toContain('req-broken');
  const figures = await metrics.render();
  for (const [name, text] of Object.entries({ logged, told, figures })) {
    for (const secret of ['CANARY', KEY, 'vendor-key', vendor.url, new URL(vendor.url).host])
      expect(text, name).not.toContain(secret);
  }
});
