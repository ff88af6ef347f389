/** Failures on a WebSocket: the client receives them as events, and the connection continues if it can. */

import { createServer, request, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { asObject, asText, type JsonObject } from '../../../src/lib/json.ts';
import { serve } from '../../../src/server/listen/server.ts';
import { openGateway } from '../../../src/server/open-gateway.ts';
import { KEY, startGateway, startRecorded, vendorsAtUrl } from '../../support/gateway.ts';
import { held } from '../../support/held.ts';
import { postJson } from '../../support/post-json.ts';
import { startUpstream } from '../../support/upstream.ts';
import { type Client, connect, connectRaw, frameOf, openStage, type Stage, say } from './stage.ts';

const RESTRICTED = 'gw-restricted-key-of-the-tests';
const ONCE = 'gw-once-a-minute-key-of-the-tests';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({
    limits: { bodyBytes: 100_000 },
    keys: [
      { name: 'restricted', key: RESTRICTED, models: ['openai/gpt-4.1'] },
      { name: 'once', key: ONCE, limits: { requestsPerMinute: 1 } },
    ],
  });
});
afterEach(() => {
  vi.useRealTimers();
  stage.respondWith(say('Hello'));
});
afterAll(() => stage.close());

const create = { type: 'response.create', model: 'gpt-4.1', input: 'Hi' };

/** Expects that a connection still answers. */
async function expectAlive(client: Client): Promise<void> {
  client.send(create);
  expect((await client.answer()).at(-1)).toMatchObject({ type: 'response.completed' });
}

/** The same, once the vendor answers as usual. */
async function expectAliveAgain(client: Client): Promise<void> {
  stage.respondWith(say('Hello'));
  await expectAlive(client);
}

describe('a handshake', () => {
  test.each([
    ['a wrong key', { authorization: 'Bearer nobody' }, 401],
    ['no key', { authorization: '' }, 401],
  ])('with %s is rejected', async (_, headers, status) => {
    await expect(connect(stage.gateway.url, headers)).rejects.toThrow(`status ${status}`);
  });

  test('at another path, or through a proxy that blocks it, is rejected with the status at which clients switch to POST', async () => {
    for (const path of ['/v1/responses', '/v1/chat/completions', '/v1/messages', '/v1/responses/compact']) {
      const refused = new Promise<number | undefined>((resolve, reject) => {
        const asked = request(`${stage.gateway.url}${path}`, {
          headers: {
            authorization: `Bearer ${KEY}`,
            connection: path === '/v1/responses' ? 'close' : 'Upgrade',
            ...(path !== '/v1/responses' && { upgrade: 'websocket' }),
            'sec-websocket-version': '13',
            'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          },
        });
        asked
          .on('response', (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end();
      });
      expect(await refused).toBe(426);
    }
    const headers = { authorization: `Bearer ${KEY}` };
    expect((await fetch(`${stage.gateway.url}/v1/responses`, { headers })).status).toBe(405);
  });

  test('may have a slash at the end of its path, as a POST may', async () => {
    for (const path of ['/v1/responses/', '/v1/responses/?a=b']) {
      const client = await connect(stage.gateway.url, {}, path);
      await expectAlive(client);
      client.socket.close();
    }
    // Neither may have two.
    await expect(connect(stage.gateway.url, {}, '/v1/responses//')).rejects.toThrow('status 404');
    const { status } = await postJson(`${stage.gateway.url}/v1/responses//`, {
      model: 'gpt-4.1',
      input: 'Hi',
    });
    expect(status).toBe(404);
  });

  test.each([
    ['two keys', [`Authorization: Bearer ${KEY}`, 'Authorization: Bearer another'], 401],
    ['two hosts', [`Authorization: Bearer ${KEY}`, 'Host: y'], 400],
    ['too many headers', [`Authorization: Bearer ${KEY}`, ...Array<string>(100).fill('X-A: b')], 431],
  ])('with %s is rejected, as a POST would be', async (_, lines, status) => {
    const { head } = await connectRaw(stage.gateway.url, lines);
    expect(head.split(' ')[1]).toBe(String(status));
  });

  test('says nothing about the bodies of its requests', async () => {
    const lines = [`Authorization: Bearer ${KEY}`, 'Content-Encoding: gzip', 'Trailer: x-checksum'];
    const { raw } = await connectRaw(stage.gateway.url, lines);
    raw.write(frameOf(JSON.stringify(create)));
    const answer = await new Promise((resolve) => raw.once('data', (data) => resolve(String(data))));
    expect(answer).toContain('response.created');
    raw.destroy();
  });

  test('names its WebSocket version in a header of OpenAI’s, which is ignored for a POST', async () => {
    for (const [beta, sent] of [
      ['responses_websockets=2026-02-06', undefined],
      ['responses_multi_agent=v1', 'responses_multi_agent=v1'],
    ]) {
      const client = await connect(stage.gateway.url, { 'openai-beta': String(beta) });
      await expectAlive(client);
      const { headers = {} } = stage.upstream.received.at(-1) ?? {};
      expect(headers['openai-beta']).toBe(sent);
      expect(Object.keys(headers).filter((name) => /^sec-|upgrade/.test(name))).toEqual([]);
      client.socket.close();
    }
  });

  test('is rejected if the process is short of a resource', async () => {
    const config = configSchema.parse({ port: 0, keys: [{ name: 'test', key: KEY }] });
    const { gateway, close } = await openGateway(config);
    const server = await serve(
      () => gateway,
      config,
      () => 'memory',
    );
    const { head } = await connectRaw(server.url);
    expect(head).toMatch(/^HTTP\/1\.1 503 /);
    expect(head).toMatch(/\r\nretry-after: 1\r\n/i);
    await server.drain(0);
    await close();
  });

  test('for another protocol is ignored: Java asks for HTTP/2 with each POST', async () => {
    const body = JSON.stringify({ model: 'gpt-4.1', input: 'Hi' });
    stage.respondWith((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"response"}'),
    );
    const status = await new Promise((resolve, reject) => {
      request(`${stage.gateway.url}/v1/responses`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${KEY}`,
          connection: 'Upgrade, HTTP2-Settings',
          upgrade: 'h2c',
          'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
          'content-type': 'application/json',
        },
      })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end(body);
    });
    expect(status).toBe(200);
  });
});

const NO_LANE = { param: 'stream_id', code: 'invalid_stream_id' };

test.each([
  ['no JSON', '{"type":', { param: null }],
  ['no object', '[1]', { param: null }],
  ['a value that is no JSON', '{"type":nope}', { param: null }],
  ['no type', '{"model":"gpt-4.1"}', { param: 'type' }],
  ['an unknown type', '{"type":"session.update"}', { param: 'type' }],
  ['a lane that is no name', '{"type":"response.create","stream_id":7}', NO_LANE],
  ['a lane whose name is empty', '{"type":"response.create","stream_id":""}', NO_LANE],
  ['a lane whose name is too long', `{"type":"response.create","stream_id":"${'x'.repeat(257)}"}`, NO_LANE],
  ['a request in the background', '{"type":"response.create","background":true}', { param: 'background' }],
  ['no model', '{"type":"response.create","input":"x"}', { param: 'model' }],
  ['a key twice', '{"type":"response.create","model":"a","model":"b"}', { param: 'model' }],
  [
    'an input that is none',
    '{"type":"response.create","model":"anthropic/claude-sonnet-4-5","input":7}',
    { param: 'input' },
  ],
  ['bytes', Buffer.from(JSON.stringify(create)), { param: null }],
])('%s is an error, and the connection continues', async (_, message, error) => {
  const client = await connect(stage.gateway.url);
  client.socket.send(message);
  expect(await client.next()).toMatchObject({
    type: 'error',
    status: 400,
    // OpenAI's published schema of the socket's error has a string here, and requires all of these.
    error: { type: 'invalid_request_error', code: expect.any(String), message: expect.any(String), ...error },
  });
  await expectAlive(client);
});

test('C-17 a byte order mark before a message is skipped, as before the body of a POST', async () => {
  const client = await connect(stage.gateway.url);
  const before = stage.upstream.received.length;
  client.socket.send(`\ufeff${JSON.stringify(create)}`);
  expect((await client.answer()).at(-1)).toMatchObject({ type: 'response.completed' });
  expect(stage.upstream.received[before]?.body.toString()).toMatch(/^\{/);
  client.socket.send('\ufeff');
  expect(await client.next()).toMatchObject({ type: 'error', status: 400 });
  await expectAlive(client);
});

test('an error in a request of a lane is reported in that lane', async () => {
  const client = await connect(stage.gateway.url);
  for (const wrong of [
    { background: true },
    { generate: false, model: 'nobodys-model' },
    { type: 'no.such' },
  ]) {
    client.send({ ...create, stream_id: 'a', ...wrong });
    expect(await client.next()).toMatchObject({ type: 'error', stream_id: 'a' });
  }
});

test('a message that is too long closes the connection, with the right code', async () => {
  const client = await connect(stage.gateway.url);
  client.send({ ...create, input: 'x'.repeat(100_001) });
  expect(await client.closed).toBe(1009);
});

test('an answer cannot be steered', async () => {
  const client = await connect(stage.gateway.url);
  client.send({ type: 'response.steer', previous_response_id: 'resp_1', input: 'Faster' });
  expect(await client.next()).toMatchObject({
    type: 'response.steer.failed',
    error: { code: 'steering_not_supported' },
    steer: { input: 'Faster', previous_response_id: 'resp_1' },
  });
  client.send({ type: 'response.processed', response_id: 'resp_1' });
  await expectAlive(client);
});

test("a vendor's error comes with its status, its message and its Retry-After", async () => {
  const client = await connect(stage.gateway.url);
  const error = { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Slow down.', param: null };
  stage.respondWith((_, response) =>
    response
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' })
      .end(JSON.stringify({ error })),
  );
  client.send({ ...create, stream_id: 'a' });
  expect(await client.next()).toMatchObject({
    type: 'error',
    stream_id: 'a',
    status: 429,
    error: { ...error, headers: { 'retry-after': '7' } },
    headers: { 'retry-after': '7' },
  });
  stage.respondWith(say('Hello'));
  await expectAlive(client);
});

test.each([
  ['nothing', 429, '', 'rate_limit_exceeded'],
  ['null', 400, 'null', 'invalid_request_error'],
  ['an empty object', 429, '{}', 'rate_limit_exceeded'],
  ['words of another format', 422, '{"detail":"No."}', 'invalid_request_error'],
])("a vendor's refusal that holds %s keeps its status", async (_, status, body, code) => {
  const client = await connect(stage.gateway.url);
  stage.respondWith((_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' }).end(body),
  );
  client.send(create);
  expect(await client.next()).toMatchObject({
    type: 'error',
    status,
    error: { code, message: expect.stringMatching(/No\.|status/) },
    headers: { 'retry-after': '7' },
  });
  await expectAliveAgain(client);
});

test('an event that is cut off is not sent, and its answer ends with an error', async () => {
  const client = await connect(stage.gateway.url);
  const created = { type: 'response.created', response: { id: 'resp_1' } };
  const head = `event: response.created\ndata: ${JSON.stringify(created)}\n\n`;
  const delta = 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hel';
  const completed = { type: 'response.completed', response: { id: 'resp_1', output: [] } };
  const rest = `\n\nevent: response.completed\ndata: ${JSON.stringify(completed)}\n\n`;
  const ends: ((response: ServerResponse) => void)[] = [
    (response) => void response.end(head + delta),
    (response) => void response.write(head + delta, () => response.destroy()),
    // Only one event is broken: without it the answer would lack words, and look complete.
    (response) => void response.end(head + delta + rest),
  ];
  for (const end of ends) {
    stage.respondWith((_, response) => end(response.writeHead(200, { 'content-type': 'text/event-stream' })));
    client.send(create);
    expect(await client.answer()).toMatchObject([created, { type: 'error', status: 502 }]);
    await expectAliveAgain(client);
  }
});

test('an answer that ends too soon ends with an error', async () => {
  const client = await connect(stage.gateway.url);
  stage.respondWith((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      'event: response.created\ndata: {"type":"response.created","response":{"id":"resp_1"}}\n\n',
      () => response.destroy(),
    );
  });
  client.send(create);
  const events = await client.answer();
  expect(events.map(({ type }) => type)).toEqual(['response.created', 'error']);
  stage.respondWith(say('Hello'));
  await expectAlive(client);
});

test('an answer whose last event is response.done is complete', async () => {
  const client = await connect(stage.gateway.url);
  const done = { type: 'response.done', response: { id: 'resp_1', status: 'completed', output: [] } };
  stage.respondWith((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`event: response.done\ndata: ${JSON.stringify(done)}\n\n`),
  );
  client.send(create);
  expect(await client.next()).toEqual(done);
  stage.respondWith(say('Hello'));
  await expectAlive(client);
});

test('an answer that goes silent ends with an error', async () => {
  const client = await connect(stage.gateway.url);
  const created = { type: 'response.created', response: { id: 'resp_1' } };
  stage.respondWith((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`event: response.created\ndata: ${JSON.stringify(created)}\n\n`),
  );
  client.send(create);
  expect(await client.answer()).toMatchObject([created, { type: 'error', status: 502 }]);
  stage.respondWith(say('Hello'));
  await expectAlive(client);
});

test('an answer that fails while it is streamed has one end, and the next one begins after it', async () => {
  const client = await connect(stage.gateway.url);
  const error = { type: 'server_error', code: 'server_error', message: 'Sorry about that!', param: null };
  const created = { type: 'response.created', response: { id: 'resp_1' } };
  const failed = { type: 'response.failed', response: { id: 'resp_1', status: 'failed', error } };
  const fail = (events: readonly JsonObject[]): void =>
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        events.map((event) => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
      );
    });
  fail([created, { type: 'error', error, sequence_number: 1 }, failed]);
  client.send(create);
  expect(await client.answer()).toEqual([created, failed]);
  fail([created, { type: 'error', error, sequence_number: 1 }]);
  client.send(create);
  expect(await client.answer()).toMatchObject([created, { type: 'error', status: 502, error }]);
  stage.respondWith(say('Hello'));
  client.send(create);
  expect((await client.answer()).map(({ type }) => type)).toEqual([
    'response.created',
    'response.output_text.delta',
    'response.completed',
  ]);
});

test('an error that ends a stream is reported in its own words, wherever they stand', async () => {
  const client = await connect(stage.gateway.url);
  const error = { code: 'server_error', message: 'Sorry about that!', param: null };
  stage.respondWith((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`event: error\ndata: ${JSON.stringify({ type: 'error', ...error, sequence_number: 1 })}\n\n`),
  );
  client.send(create);
  expect(await client.next()).toMatchObject({
    type: 'error',
    status: 502,
    error: { ...error, type: 'api_error' },
  });
});

test.each([
  ['no code', { type: 'server_error', message: 'No.' }, 'server_error'],
  ['a code that is null', { type: 'server_error', code: null, message: 'No.', param: null }, 'server_error'],
  ['a code that is a number', { code: 503, message: 'No.' }, '503'],
  ['nothing but words', { message: 'No.' }, 'api_error'],
])('an error with %s has every field that the schema requires', async (_, error, code) => {
  const client = await connect(stage.gateway.url);
  stage.respondWith((_, response) =>
    response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ error })),
  );
  client.send(create);
  const told = asObject((await client.next())['error']);
  expect(told).toMatchObject({ code, message: expect.any(String), type: expect.any(String) });
  expect(told).toHaveProperty('param');
  stage.respondWith(say('Hello'));
  await expectAlive(client);
});

test('invalid events, and anything after the end of an answer, are not sent', async () => {
  const client = await connect(stage.gateway.url);
  const completed = {
    type: 'response.completed',
    response: { id: 'resp_1', status: 'completed', output: [] },
  };
  stage.respondWith((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: [DONE]\n\ndata: ${JSON.stringify(completed)}\n\ndata: {"type":"late"}\n\ndata: [DONE]\n\n`),
  );
  client.send(create);
  client.send(create);
  expect([await client.next(), await client.next()]).toEqual([completed, completed]);
  stage.respondWith(say('Hello'));
  await expectAlive(client);
});

test('an event over the size limit ends its answer with an error', async () => {
  const client = await connect(stage.gateway.url);
  const piece = Buffer.alloc(1024 * 1024, 'x');
  stage.respondWith((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: response.output_text.delta\ndata: {"delta":"');
    // The vendor goes on, and nothing waits for its end.
    for (let written = 0; written <= 64; written += 1) response.write(piece);
  });
  client.send(create);
  expect(await client.answer()).toMatchObject([{ type: 'error', status: 502 }]);
  stage.respondWith(say('Hello'));
  await expectAlive(client);
});

test('an answer that is not a stream is an error', async () => {
  const client = await connect(stage.gateway.url);
  stage.respondWith((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"response"}'),
  );
  client.send(create);
  expect(await client.next()).toMatchObject({ type: 'error', status: 502 });
});

test('each request is checked: its model, and the limits of its key', async () => {
  const restricted = await connect(stage.gateway.url, { authorization: `Bearer ${RESTRICTED}` });
  restricted.send({ ...create, model: 'gpt-4o' });
  expect(await restricted.next()).toMatchObject({ type: 'error', status: 403 });
  restricted.send({ ...create, model: 'gpt-4o', generate: false });
  expect(await restricted.next()).toMatchObject({ type: 'error', status: 404 });
  await expectAlive(restricted);

  const once = await connect(stage.gateway.url, { authorization: `Bearer ${ONCE}` });
  await expectAlive(once);
  once.send(create);
  expect(await once.next()).toMatchObject({
    type: 'error',
    status: 429,
    headers: { 'retry-after': expect.any(String), 'x-ratelimit-limit-requests': '1' },
  });
});

test('each request is recorded by itself, and one whose client disconnects is aborted', async () => {
  const upstream = await startUpstream((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write('event: response.created\ndata: {"type":"response.created","response":{"id":"resp_1"}}\n\n'),
  );
  const gateway = await startRecorded({ vendors: vendorsAtUrl(upstream.url) });
  const client = await connect(gateway.url);
  client.send(create);
  await client.next();
  const closed = upstream.closed();
  client.socket.terminate();
  await closed;
  await expect
    .poll(() => gateway.records)
    .toMatchObject([
      { format: 'responses', model: 'openai/gpt-4.1', key: 'test', streamed: true, outcome: 'client-closed' },
    ]);
  await gateway.close();
  await upstream.close();
});

test('a client that does not read pauses its answer, and receives all of it when it reads again', async () => {
  const COUNT = 1_500;
  const event = `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"${'x'.repeat(50_000)}"}\n\n`;
  let written = 0;
  const stalled = Promise.withResolvers<void>();
  stage.respondWith((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = (): void => {
      const waits = setTimeout(stalled.resolve, 500);
      while (written < COUNT) {
        written += 1;
        if (response.write(event)) continue;
        response.once('drain', () => {
          clearTimeout(waits);
          more();
        });
        return;
      }
      response.end(
        'event: response.completed\ndata: {"type":"response.completed","response":{"id":"resp_1"}}\n\n',
      );
    };
    more();
  });
  const client = await connect(stage.gateway.url);
  client.socket.pause();
  client.send(create);
  await stalled.promise;
  expect(written).toBeLessThan(COUNT);
  client.socket.resume();
  expect(await client.answer()).toHaveLength(COUNT + 1);
});

test('a client that does not read pauses its answers, and is disconnected', async () => {
  let written = 0;
  const event = `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"${'x'.repeat(50_000)}"}\n\n`;
  const upstream = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = (): void => {
      while (written < 200_000_000) {
        written += event.length;
        if (!response.write(event)) {
          response.once('drain', more);
          return;
        }
      }
    };
    more();
  });
  const gateway = await startGateway({ vendors: vendorsAtUrl(upstream.url), timeouts: { unread: 500 } });
  const closed = upstream.closed();
  const client = await connect(gateway.url);
  client.socket.pause();
  client.send(create);
  await closed;
  expect(written).toBeLessThan(100_000_000);
  client.socket.terminate();
  await gateway.close();
  await upstream.close();
});

test('the time that data may wait for a client comes from the configuration at the time it arrived', async () => {
  const gateway = await startGateway({ timeouts: { unread: 600_000 } });
  gateway.server.applyConfig({ timeouts: { ...gateway.config.timeouts, unread: 100 } });
  const { raw } = await connectRaw(gateway.url);
  raw.pause();
  raw.on('close', () => {});
  const wrong = Buffer.concat(Array<Buffer>(5_000).fill(frameOf('?')));
  while (gateway.server.webSockets() > 0) {
    if (!raw.writableNeedDrain) raw.write(wrong);
    await new Promise((resolve) => setImmediate(resolve));
  }
  raw.destroy();
  await gateway.close();
});

test('a client that sends much and reads nothing is paused, and disconnected', async () => {
  const gateway = await startGateway({ timeouts: { unread: 500 } });
  const { raw } = await connectRaw(gateway.url);
  raw.pause();
  let isClosed = false;
  raw.once('close', () => {
    isClosed = true;
  });
  const wrong = Buffer.concat(Array<Buffer>(5_000).fill(frameOf('?')));
  while (!isClosed) {
    if (!raw.writableNeedDrain) raw.write(wrong);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await gateway.close();
});

test('sixteen requests are answered at a time, and the client is read meanwhile', async () => {
  const waiting: ServerResponse[] = [];
  stage.respondWith((_, response) => void waiting.push(response));
  const client = await connect(stage.gateway.url);
  for (let lane = 0; lane < 32; lane += 1) client.send({ ...create, stream_id: `lane ${lane}` });
  const heard = new Promise((resolve) => client.socket.once('pong', resolve));
  client.socket.ping();
  await heard;
  await expect.poll(() => waiting.length).toBe(16);
  waiting[0]?.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"No."}}');
  await client.next();
  await expect.poll(() => waiting.length).toBe(17);
  const gone = Promise.all(
    waiting.slice(1).map((response) => new Promise((resolve) => response.once('close', resolve))),
  );
  client.socket.close();
  await gone;
  expect(await client.closed).toBe(1005);
});

test.each([
  [63, 0, 'at once'],
  [64, 0, 'when one is answered'],
  [2, 45_000, 'at once'],
  [2, 50_000, 'when one is answered'],
])('with %d open requests of at least %d bytes each, a client is read %s', async (count, size, when) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const own = await openStage({ limits: { bodyBytes: 100_000 } });
  const waiting: (() => void)[] = [];
  own.respondWith((received, response) => void waiting.push(() => say('Hello')(received, response)));
  const [client, other] = [await connect(own.gateway.url), await connect(own.gateway.url)];
  const heard = (by: Client): Promise<unknown> => {
    by.socket.ping();
    return new Promise((resolve) => by.socket.once('pong', resolve));
  };
  for (let sent = 0; sent < count; sent += 1) {
    client.send({ ...create, input: 'x'.repeat(size), stream_id: `lane_${sent % 16}` });
  }
  await expect.poll(() => waiting.length).toBe(Math.min(count, 16));
  await heard(other);
  let now = 'at once';
  const seen = heard(client).then(() => now);
  // A client that is read has been read by now, like one that asked later.
  await heard(other);
  // A paused client does not count as gone.
  if (count === 64) for (let look = 0; look < 3; look += 1) vi.advanceTimersByTime(30_000);
  now = 'when one is answered';
  waiting[0]?.();
  expect(await seen).toBe(when);
  await own.close();
});

test('a dialogue is held once for each request in progress', async () => {
  let asked = 0;
  const vendor = createServer((request) => void request.resume().on('end', () => (asked += 1)));
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const address = vendor.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const gateway = await startGateway({ vendors: vendorsAtUrl(`http://127.0.0.1:${port}`) });
  const client = await connect(gateway.url);
  const size = 8_000_000;
  client.send({ ...create, generate: false, input: 'x'.repeat(size) });
  const previous_response_id = asText(asObject((await client.answer()).at(-1)?.['response'])?.['id']) ?? '';
  const before = await held();
  for (let lane = 0; lane < 8; lane += 1) {
    client.send({ ...create, previous_response_id, stream_id: `lane ${lane}` });
  }
  await expect.poll(() => asked).toBe(8);
  expect(((await held()) - before) / (8 * size)).toBeLessThan(1.5);
  client.socket.terminate();
  await gateway.close();
  vendor.closeAllConnections();
  vendor.close();
});

describe('the end of a connection', () => {
  test('a gateway that shuts down lets answers finish, and tells clients to reconnect', async () => {
    const own = await openStage();
    const idle = await connect(own.gateway.url);
    const busy = await connect(own.gateway.url);
    expect(own.gateway.server.webSockets()).toBe(2);
    let finish = (): void => {};
    own.respondWith((received, response) => {
      finish = () => say('Hello')(received, response);
    });
    busy.send(create);
    await expect.poll(() => own.upstream.received.length).toBe(1);
    const drained = own.gateway.server.drain(10_000);
    expect(await idle.closed).toBe(1001);
    busy.send({ ...create, stream_id: 'another' });
    expect(await busy.next()).toMatchObject({ type: 'error', status: 503, stream_id: 'another' });
    finish();
    expect((await busy.answer()).at(-1)).toMatchObject({ type: 'response.completed' });
    expect(await busy.closed).toBe(1001);
    expect(await drained).toBe(0);
    await expect.poll(() => own.gateway.server.webSockets()).toBe(0);
    await own.close();
  });

  test('a gateway short of file descriptors closes idle connections', async () => {
    const own = await openStage();
    const [idle, busy] = [await connect(own.gateway.url), await connect(own.gateway.url)];
    let finish = (): void => {};
    own.respondWith((received, response) => {
      finish = () => say('Hello')(received, response);
    });
    busy.send(create);
    await expect.poll(() => own.upstream.received.length).toBe(1);
    own.gateway.server.closeIdle();
    expect(await idle.closed).toBe(1001);
    finish();
    expect((await busy.answer()).at(-1)).toMatchObject({ type: 'response.completed' });
    own.respondWith(say('Hello'));
    await expectAlive(busy);
    await own.close();
  });

  test('a gateway about to shut down accepts new ones while balancers may not know of it', async () => {
    const own = await openStage();
    own.gateway.server.stopKeepingAlive();
    const client = await connect(own.gateway.url);
    await expectAlive(client);
    const drained = own.gateway.server.drain(10_000);
    expect(await client.closed).toBe(1001);
    await drained;
    await own.close();
  });

  test('a gateway whose drain time is over ends its answers with an error', async () => {
    const own = await openStage();
    const client = await connect(own.gateway.url);
    own.respondWith(() => {});
    client.send(create);
    await expect.poll(() => own.upstream.received.length).toBe(1);
    const drained = own.gateway.server.drain(0);
    expect(await client.next()).toMatchObject({ type: 'error', status: 503 });
    expect(await client.closed).toBe(1001);
    expect(await drained).toBe(1);
    await own.close();
  });

  test('an unresponsive client does not keep a gateway from shutting down', async () => {
    const own = await openStage();
    const { raw } = await connectRaw(own.gateway.url);
    raw.pause();
    const { port } = own.gateway.server;
    expect(await own.gateway.server.drain(100)).toBe(0);
    await expect(connect(`http://127.0.0.1:${port}`)).rejects.toThrow('ECONNREFUSED');
    raw.destroy();
    await own.close();
  });

  test('a connection lasts at most an hour, as at OpenAI', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const client = await connect(stage.gateway.url);
    vi.advanceTimersByTime(59 * 60_000);
    vi.useRealTimers();
    await expectAlive(client);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const old = await connect(stage.gateway.url);
    vi.advanceTimersByTime(60 * 60_000);
    expect(await old.next()).toMatchObject({ error: { code: 'websocket_connection_limit_reached' } });
    expect(await old.closed).toBe(1001);
  });

  test('a client that vanishes silently is noticed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { raw: silent } = await connectRaw(stage.gateway.url);
    const closed = new Promise((resolve) => silent.once('close', resolve));
    silent.resume();
    const alive = await connect(stage.gateway.url);
    const heard = new Promise((resolve) => alive.socket.once('ping', resolve));
    vi.advanceTimersByTime(30_000);
    await heard;
    await expectAlive(alive);
    vi.advanceTimersByTime(30_000);
    await closed;
    await expectAlive(alive);
  });

  test('a client that sends a long message slowly counts as alive', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { raw } = await connectRaw(stage.gateway.url);
    const answered = new Promise((resolve) =>
      raw.on('data', (data) => void (data.includes('response.completed') && resolve(true))),
    );
    const alive = await connect(stage.gateway.url);
    const frame = frameOf(JSON.stringify({ ...create, input: 'x'.repeat(1_000) }));
    for (let at = 0; at < frame.length; at += 200) {
      raw.write(frame.subarray(at, at + 200));
      await expectAlive(alive);
      vi.advanceTimersByTime(30_000);
    }
    await answered;
    raw.destroy();
  });
});
