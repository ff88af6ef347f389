/** Traces as a collector receives them, by OTLP over a real socket. */

import { execFile } from 'node:child_process';
import { createServer as createHttp2Server } from 'node:http2';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTraces, type Traces } from '../../../src/accounting/traces/traces.ts';
import type { LogProblem } from '../../../src/lib/diagnostics.ts';
import {
  asList,
  asObject,
  asObjects,
  asText,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../../../src/lib/json.ts';
import { bind } from '../../../src/upstream/net/bind.ts';
import { startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { RECORD, REFUSED } from './records.ts';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const ROUTE = { format: 'chat-completions', operation: 'generate' } as const;

let collector: TestUpstream;
let status = 200;
/** What it waits for before it answers. */
let held: Promise<void> | undefined;
beforeEach(async () => {
  status = 200;
  held = undefined;
  collector = await startUpstream(async (_, response) => {
    await held;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
});
afterEach(() => collector.close());

async function open(log?: LogProblem): Promise<Traces> {
  const traces = await openTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` }, log);
  if (traces === undefined) throw new Error('There are no traces.');
  return traces;
}

interface SpanSeen {
  readonly name: string;
  readonly span: JsonObject;
  readonly attributes: Readonly<Record<string, Json>>;
}

/** Every span that arrived, with the attributes of its resource. */
function seen(): { readonly spans: readonly SpanSeen[]; readonly resource: Readonly<Record<string, Json>> } {
  const spans: SpanSeen[] = [];
  let resource: Readonly<Record<string, Json>> = {};
  for (const { url, body } of collector.received) {
    expect(url).toBe('/v1/traces');
    const told = parseJson(body.toString('utf8'));
    if (!isObject(told)) throw new Error('no object');
    for (const group of asObjects(told['resourceSpans'])) {
      resource = attributesOf(asObject(group['resource']));
      for (const scope of asObjects(group['scopeSpans'])) {
        for (const span of asObjects(scope['spans'])) {
          spans.push({ name: asText(span['name']) ?? '', span, attributes: attributesOf(span) });
        }
      }
    }
  }
  return { spans, resource };
}

function attributesOf(owner: JsonObject | undefined): Readonly<Record<string, Json>> {
  const pairs = asObjects(owner?.['attributes']).map(({ key, value }) => {
    const [told] = Object.values(asObject(value) ?? {});
    return [asText(key) ?? '', told ?? null] as const;
  });
  return Object.fromEntries(pairs);
}

function spanNamed(name: string): SpanSeen {
  const found = seen().spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`No span ${name}: ${seen().spans.map((span) => span.name)}`);
  return found;
}

test('a vendor’s answer is a span under that of the caller’s request, in the caller’s trace', async () => {
  const traces = await open();
  const trace = traces.begin(ROUTE, {
    traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01`,
    tracestate: 'vendor=abc,other=1',
  });
  const sent = trace.ask();
  expect(sent['traceparent']).toMatch(new RegExp(`^00-${CALLER.traceId}-[\\da-f]{16}-01$`));
  expect(sent['traceparent']).not.toContain(CALLER.spanId);
  expect(sent['tracestate']).toBe('vendor=abc,other=1');
  // A retry sends the same header.
  expect(trace.ask()).toEqual(sent);
  trace.end({
    ...RECORD,
    time: Date.now(),
    attempts: 2,
    tag: 'customer-42',
    group: 'search',
    upstreamId: 'req_of_the_vendor',
  });
  await traces.close(5_000);

  const server = spanNamed('POST /v1/chat/completions');
  const client = spanNamed('chat claude-sonnet-4-5');
  expect(server.span).toMatchObject({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId, kind: 2 });
  expect(client.span).toMatchObject({
    traceId: CALLER.traceId,
    parentSpanId: server.span['spanId'],
    kind: 3,
  });
  expect(sent['traceparent']).toContain(String(client.span['spanId']));
  expect(server.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/v1/chat/completions',
    'http.response.status_code': 200,
    'gateway.request.id': 'req_1',
    'gateway.format': 'chat-completions',
    'gateway.outcome': 'complete',
    'gateway.key': 'team',
    'gateway.tag': 'customer-42',
    'gateway.group': 'search',
  });
  const { 'gen_ai.response.time_to_first_chunk': first, ...told } = client.attributes;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(5);
  expect(told).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'claude-sonnet-4-5',
    'gen_ai.request.stream': true,
    'gen_ai.usage.input_tokens': 1_000,
    'gen_ai.usage.output_tokens': 50,
    'gen_ai.usage.cache_read.input_tokens': 600,
    'gen_ai.usage.cache_write.input_tokens': 100,
    'gen_ai.usage.reasoning.output_tokens': 20,
    'gateway.model': 'anthropic/claude-sonnet-4-5',
    'gateway.cost': 0.0125,
    'gateway.attempts': 2,
    'gateway.upstream.request.id': 'req_of_the_vendor',
  });
  expect(seen().resource).toMatchObject({ 'service.name': 'gateway' });
  expect(traces.lost()).toBe(0);
});

test('without a trace of the caller a new one begins here', async () => {
  const traces = await open();
  const trace = traces.begin(
    { format: 'generate-content', operation: 'generate' },
    { traceparent: 'nonsense' },
  );
  const sent = trace.ask();
  trace.end({
    ...RECORD,
    format: 'generate-content',
    spoken: 'generate-content',
    vendor: 'google',
    model: 'google/gemini-2.5-flash',
    streamed: false,
  });
  await traces.close(5_000);
  const server = spanNamed('POST /v1beta/models/{model}:generateContent');
  const client = spanNamed('generate_content gemini-2.5-flash');
  expect(server.span['parentSpanId'] ?? '').toBe('');
  expect(sent).toEqual({
    traceparent: `00-${server.span['traceId']}-${client.span['spanId']}-01`,
  });
  expect(client.attributes).toMatchObject({ 'gen_ai.provider.name': 'gcp.gemini' });
  expect(client.attributes).not.toHaveProperty('gen_ai.response.time_to_first_chunk');
});

test.each([
  ['retrieve', 'GET', '/v1/responses/{id}', 'retrieve_response'],
  ['delete', 'DELETE', '/v1/responses/{id}', 'delete_response'],
  ['cancel', 'POST', '/v1/responses/{id}/cancel', 'cancel_response'],
  ['list-input', 'GET', '/v1/responses/{id}/input_items', 'list_input_response'],
] as const)('a stored response: %s', async (operation, method, path, name) => {
  const traces = await open();
  const trace = traces.begin({ format: 'responses', operation }, {});
  trace.ask();
  const { model: _, ...record } = RECORD;
  trace.end({ ...record, format: 'responses', spoken: 'responses', operation });
  await traces.close(5_000);
  expect(spanNamed(`${method} ${path}`).attributes).toMatchObject({
    'http.request.method': method,
    'http.route': path,
  });
  expect(spanNamed(name).attributes).toMatchObject({ 'gen_ai.operation.name': name });
});

describe('the outcome', () => {
  const statusOf = ({ span }: SpanSeen): Json | undefined => asObject(span['status'])?.['code'];

  test('rejected before a vendor was asked: one span, and no server error', async () => {
    const traces = await open();
    traces.begin({ format: 'messages', operation: 'count-tokens' }, {}).end({
      ...REFUSED,
      operation: 'count-tokens',
    });
    await traces.close(5_000);
    expect(seen().spans.map(({ name }) => name)).toEqual(['POST /v1/messages/count_tokens']);
    const [server] = seen().spans;
    expect(server && statusOf(server)).toBe(0);
    expect(server?.attributes).not.toHaveProperty('error.type');
  });

  test.each([
    [{ status: 502, outcome: 'failed', fault: 'upstream-broken' }, 2, 2, 'upstream-broken'],
    [{ status: 429, outcome: 'complete', fault: 'rate-limited' }, 0, 2, 'rate-limited'],
    [{ status: 418, outcome: 'complete' }, 0, 2, '418'],
    [{ status: 200, outcome: 'failed', fault: 'upstream-timeout' }, 2, 2, 'upstream-timeout'],
    [{ status: 200, outcome: 'client-closed' }, 0, 0, undefined],
  ] as const)('%o', async (change, serverStatus, clientStatus, type) => {
    const traces = await open();
    const trace = traces.begin(ROUTE, {});
    trace.ask();
    trace.end({ ...RECORD, ...change });
    await traces.close(5_000);
    const server = spanNamed('POST /v1/chat/completions');
    const client = spanNamed('chat claude-sonnet-4-5');
    expect([statusOf(server), statusOf(client)]).toEqual([serverStatus, clientStatus]);
    expect(client.attributes['error.type']).toBe(type);
    expect(server.attributes['error.type']).toBe(serverStatus === 2 ? type : undefined);
  });
});

test('a caller’s decision not to sample its trace is respected, and sent on', async () => {
  const traces = await open();
  const trace = traces.begin(ROUTE, { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-00` });
  expect(trace.ask()['traceparent']).toMatch(/-00$/);
  trace.end(RECORD);
  await traces.close(5_000);
  expect(collector.received).toEqual([]);
});

test('spans that the collector rejects are counted', async () => {
  status = 400;
  const traces = await open();
  traces.begin(ROUTE, {}).end(REFUSED);
  await traces.close(5_000);
  expect(traces.lost()).toBe(1);
});

test('so are spans beyond what the collector can take; those in the queue are delivered', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  const traces = await open();
  for (let at = 0; at < 3_000; at += 1) traces.begin(ROUTE, {}).end(REFUSED);
  await expect.poll(() => collector.received.length).toBe(1);
  expect(traces.lost()).toBeGreaterThan(0);
  resolve();
  await traces.close(20_000);
  expect(seen().spans.length + traces.lost()).toBe(3_000);
});

test('a collector that does not take spans is reported once, and so is that it takes them again', async () => {
  const told: string[] = [];
  status = 404;
  const traces = await open((message) => told.push(message));
  const many = (): void => {
    for (let at = 0; at < 1_024; at += 1) traces.begin(ROUTE, {}).end(REFUSED);
  };
  many();
  await expect.poll(() => traces.lost()).toBe(1_024);
  status = 200;
  many();
  await traces.close(5_000);
  expect(told).toEqual([
    'Traces cannot be delivered: the collector answered 404. Spans that are lost are counted.',
    'Traces can be delivered again.',
  ]);
});

test('a port that speaks gRPC instead is named as such', async () => {
  const server = createHttp2Server();
  const port = await bind(server, { host: '127.0.0.1', port: 0 });
  const told: string[] = [];
  const traces = await openTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }, (message) =>
    told.push(message),
  );
  traces?.begin(ROUTE, {}).end(REFUSED);
  await traces?.close(5_000);
  server.close();
  expect(told).toEqual([
    'Traces cannot be delivered (HPE_INVALID_CONSTANT): they go over HTTP, for which collectors have port 4318. Spans that are lost are counted.',
  ]);
});

test.each([
  [{}],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_SDK_DISABLED: 'true' }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_TRACES_EXPORTER: 'none' }],
])('%o: no traces', async (environment) => {
  expect(await openTraces(environment)).toBeUndefined();
});

test('an invalid endpoint is reported', async () => {
  await expect(openTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).rejects.toThrow(
    'OTEL_EXPORTER_OTLP_ENDPOINT must be',
  );
});

test('nothing of OpenTelemetry is loaded if no endpoint is set', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { openTraces } = await import('${new URL('../../../src/accounting/traces/traces.ts', import.meta.url)}');
    await import('${new URL('../../../src/server/open-gateway.ts', import.meta.url)}');
    const of = () => loaded.filter((url) => url.includes('@opentelemetry')).length;
    await openTraces({});
    const before = of();
    const traces = await openTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    console.log(JSON.stringify([before, of() > 0]));
    await traces.close(5_000);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(asList(parseJson(stdout))).toEqual([0, true]);
});
