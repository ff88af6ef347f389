/** Sockets of `gateway start`: its processes, its configuration, and its reports, while they are open. */

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import {
  asObject,
  asObjects,
  asText,
  isObject,
  type JsonObject,
  tryParseJson,
} from '../../../src/lib/json.ts';
import { parseExposition, sumOf } from '../../accounting/observe/exposition.ts';
import { KEY, vendorsAtUrl } from '../../support/gateway.ts';
import { type GatewayProcess, spawnGateway } from '../../support/process.ts';
import { childrenOf } from '../../support/process-tree.ts';
import { hasRedis, startRedis } from '../../support/redis.ts';
import { json, startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { type Client, connect, say } from './stage.ts';

const ADMIN = 'admin-key-of-the-tests';
const OTHER = 'gw-another-key-of-the-tests';
const create = { type: 'response.create', model: 'gpt-4.1', store: false, input: 'Hi' };

let vendor: TestUpstream;
const running: GatewayProcess[] = [];
const clients: Client[] = [];
beforeEach(async () => {
  vendor = await startUpstream(say('Hello'));
});
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate();
  await Promise.all(running.splice(0).map((gateway) => gateway.close()));
  await vendor.close();
});

function settings(config: ConfigInput): ConfigInput {
  // Load shedding is off: on a machine that runs many tests at once, the process would otherwise reject
  // requests of these tests.
  return { vendors: vendorsAtUrl(vendor.url), limits: { eventLoopDelay: 600_000 }, ...config };
}

async function start(
  config: ConfigInput = {},
  env: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const gateway = await spawnGateway(settings({ admin: { key: ADMIN, port: 0 }, log: 'json', ...config }), {
    env,
  });
  running.push(gateway);
  return gateway;
}

async function open(gateway: GatewayProcess, key = KEY): Promise<Client> {
  const client = await connect(gateway.url, { authorization: `Bearer ${key}` });
  clients.push(client);
  return client;
}

/** How a request ends. */
async function ask(client: Client, fields: JsonObject = {}): Promise<JsonObject | undefined> {
  client.send({ ...create, ...fields });
  return (await client.answer()).at(-1);
}

test('a new configuration serves the next request, and the dialogue continues', async () => {
  const gateway = await start({ keys: [{ name: 'other', key: OTHER }] });
  const [client, other] = [await open(gateway), await open(gateway, OTHER)];
  const first = await ask(client);
  expect(await ask(client, { model: 'house/fast' })).toMatchObject({ status: 404 });
  expect(await ask(other)).toMatchObject({ type: 'response.completed' });

  const file = join(gateway.directory, 'gateway.config.json');
  const next = { keys: [{ name: 'test', key: KEY }], aliases: { 'house/fast': 'openai/gpt-4o' } };
  writeFileSync(`${file}.new`, JSON.stringify(settings(next)));
  renameSync(`${file}.new`, file);
  gateway.signal('SIGHUP');
  await expect.poll(gateway.output).toContain('The configuration was reloaded and is in force.');

  expect(await ask(other)).toMatchObject({ status: 401, error: { code: 'invalid_api_key' } });
  const previous_response_id = asText(asObject(first?.['response'])?.['id']) ?? '';
  const second = await ask(client, { model: 'house/fast', input: 'More', previous_response_id });
  expect(second).toMatchObject({ type: 'response.completed', response: { previous_response_id } });
  expect(tryParseJson(String(vendor.received.at(-1)?.body))).toMatchObject({
    model: 'gpt-4o',
    input: [{ content: 'Hi' }, { content: [{ text: 'Hello' }] }, { content: 'More' }],
  });
});

test('several processes each have their sockets: all are counted, and a process that dies takes its own along', async () => {
  const gateway = await start({ workers: 2 });
  const all = await Promise.all(Array.from({ length: 8 }, () => open(gateway)));
  for (const client of all) expect(await ask(client)).toMatchObject({ type: 'response.completed' });
  const admin = /Admin API on (http:\/\/\S+)\./.exec(gateway.output())?.[1];
  const samples = async (): Promise<ReturnType<typeof parseExposition>> => {
    const answer = await fetch(`${admin}/metrics`, { headers: { authorization: `Bearer ${ADMIN}` } });
    return parseExposition(await answer.text());
  };
  await expect.poll(async () => sumOf(await samples(), 'gateway_requests_total')).toBe(8);
  expect(sumOf(await samples(), 'gateway_websockets_open')).toBe(8);

  process.kill(childrenOf(gateway.pid)[0] ?? 0, 'SIGKILL');
  await expect.poll(gateway.output).toContain('A new worker is serving.');
  const left = all.filter(({ socket }) => socket.readyState === socket.OPEN);
  // Connections are distributed in turn, more or less.
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(8);
  for (const client of left) expect(await ask(client)).toMatchObject({ type: 'response.completed' });

  gateway.signal('SIGTERM');
  expect(await Promise.all(left.map(({ closed }) => closed))).toEqual(left.map(() => 1001));
  expect(await gateway.ended).toBe(0);
});

test('each request has its line in the log, and a trace of its own', async () => {
  const collector = await startUpstream((_, response) => json(response, {}));
  const gateway = await start({}, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const client = await open(gateway);
  await ask(client);
  await ask(client);
  await ask(client, { model: 'nobody/model' });
  client.socket.close();
  gateway.signal('SIGTERM');
  expect(await gateway.ended).toBe(0);
  await collector.close();

  const lines = gateway
    .output()
    .split('\n')
    .map((line) => tryParseJson(line))
    .filter(isObject)
    .filter(({ msg }) => msg === 'exchange');
  const answered = { key: 'test', model: 'openai/gpt-4.1', streamed: true, status: 200, outcome: 'complete' };
  expect(lines).toMatchObject([answered, answered, { key: 'test', status: 404, outcome: 'refused' }]);

  const spans = collector.received
    .flatMap(({ body }) => asObjects(asObject(tryParseJson(body.toString()))?.['resourceSpans']))
    .flatMap((group) => asObjects(group['scopeSpans']))
    .flatMap((scope) => asObjects(scope['spans']));
  const servers = spans.filter(({ name }) => name === 'POST /v1/responses');
  const asked = spans.filter(({ name }) => name === 'chat gpt-4.1');
  expect(servers.map(({ parentSpanId: parent }) => parent)).toEqual([undefined, undefined, undefined]);
  expect(new Set(servers.map(({ traceId: trace }) => trace)).size).toBe(3);
  expect(asked.map(({ parentSpanId: parent }) => parent)).toEqual(
    servers.slice(0, 2).map(({ spanId: id }) => id),
  );
  const ids = servers.flatMap(({ attributes }) =>
    asObjects(attributes).flatMap(({ key, value }) =>
      key === 'gateway.request.id' ? asText(asObject(value)?.['stringValue']) : [],
    ),
  );
  expect(ids).toEqual(lines.map(({ id }) => id));
});

test.skipIf(!hasRedis())(
  'a limit applies across the sockets of two gateways that share a Redis',
  async () => {
    const redis = await startRedis();
    const keys = [{ name: 'other', key: OTHER, limits: { requestsPerMinute: 5 } }];
    const env = { REDIS_URL: redis.url };
    const gateways = await Promise.all([start({ keys }, env), start({ keys }, env)]);
    const [one, two] = await Promise.all(gateways.map((gateway) => open(gateway, OTHER)));
    if (one === undefined || two === undefined) throw new RangeError('There are two.');
    const ends = [];
    for (const client of [one, two, one, two, one, two, one]) ends.push(await ask(client));
    const answered = { type: 'response.completed' };
    const refused = {
      status: 429,
      error: { code: 'rate_limit_exceeded' },
      headers: { 'x-ratelimit-limit-requests': '5' },
    };
    expect(ends).toMatchObject([...Array(5).fill(answered), refused, refused]);
    await redis.close();
  },
);
