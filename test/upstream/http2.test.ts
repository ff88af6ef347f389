/** Vendors over HTTP/2 (`vendors.*.http2`): a connection carries many exchanges, and one that fails takes no other along. */

import {
  constants,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
} from 'node:http2';
import { createServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { type ConfigInput, configSchema } from '../../src/config/schema.ts';
import { agentOptions } from '../../src/config/vendors.ts';
import { openAgent } from '../../src/upstream/agent.ts';
import { bind } from '../../src/upstream/net/bind.ts';
import { ask, native, streamedAnswer, translated, wholeAnswer } from '../faults/upstream-ways.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, post, rawClient } from '../support/raw.ts';
import { pem, toHere } from '../support/vendor-test.ts';

const TLS = { cert: pem('good.pem'), key: pem('server.key') };
const [chat] = native;
const EVENTS = streamedAnswer(chat.spoken).split(/(?<=\n\n)/);
/** With the first content: what comes before it is held. */
const OPENING = EVENTS.slice(0, 2).join('');

interface Exchange {
  readonly response: Http2ServerResponse;
  readonly session: Http2Session;
  readonly body: string;
  /** Resolves when its stream is over. */
  readonly closed: Promise<void>;
}

interface Vendor {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  /** The connections so far. */
  connections(): number;
}

type Script = (exchange: Exchange) => void;

const whole: Script = ({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(wholeAnswer(chat.spoken));
};
const begin: Script = ({ response }) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(OPENING);
};

/** @param scripts answer one request each, and the last one all later requests. */
async function startVendor(...scripts: readonly Script[]): Promise<Vendor> {
  const exchanges: Exchange[] = [];
  let connections = 0;
  const server = createSecureServer(
    TLS,
    async (request: Http2ServerRequest, response: Http2ServerResponse) => {
      const { stream } = response;
      const closed = new Promise<void>((resolve) => void stream.once('close', resolve));
      // A caller that leaves resets its stream.
      stream.on('error', () => undefined);
      const { session } = stream;
      if (session === undefined) throw new TypeError('The stream is over.');
      const exchange = { response, session, body: await text(request), closed };
      const script = scripts[exchanges.length] ?? scripts.at(-1);
      exchanges.push(exchange);
      script?.(exchange);
    },
  ).on('secureConnection', () => {
    connections += 1;
  });
  const sessions = new Set<Http2Session>();
  server.on('session', (session) => sessions.add(session));
  const port = await bind(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { url: `https://vendor.test:${port}`, exchanges, connections: () => connections };
}

async function start({ url }: Pick<Vendor, 'url'>): Promise<TestGateway> {
  const place = { apiKey: 'k', tls: { ca: pem('ca.pem') }, http2: true };
  const settings: ConfigInput = {
    vendors: { openai: { ...place, baseUrl: `${url}/v1` }, anthropic: { ...place, baseUrl: url } },
  };
  const agent = openAgent({
    ...agentOptions(configSchema.parse(settings)),
    lookup: toHere,
  });
  const gateway = await startGateway(settings, undefined, (made) => ({ ...made, agent }));
  onTestFinished(async () => {
    await gateway.close();
    await agent.destroy();
  });
  return gateway;
}

/** Asks for a stream, which has begun to arrive when this resolves. */
async function openStream({ url }: TestGateway) {
  const client = rawClient(Number(new URL(url).port), post(chat.path(true), chat.body(true)));
  await client.until((received) => received.includes('data: '));
  return client;
}

const askWhole = ({ url }: TestGateway): Promise<Response> => ask(url, chat, false);

test('U-70 a hundred exchanges at once share a connection, native and translated', async () => {
  const messages = translated.find(({ name }) => name === 'messages to chat-completions') ?? chat;
  const vendor = await startVendor(whole);
  const gateway = await start(vendor);
  expect((await askWhole(gateway)).status).toBe(200);
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, at) => {
      const answer = await ask(gateway.url, at % 2 === 0 ? chat : messages, false);
      return { status: answer.status, body: await answer.text() };
    }),
  );
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  for (const { body } of answers.filter((_, at) => at % 2 === 0)) expect(body).toBe(wholeAnswer(chat.spoken));
  expect([vendor.connections(), vendor.exchanges.length]).toEqual([1, 101]);
});

test('U-70 a caller who leaves resets its own stream, and nothing else', async () => {
  const vendor = await startVendor(begin);
  const gateway = await start(vendor);
  const left = await openStream(gateway);
  const stays = await openStream(gateway);
  const [first, second] = vendor.exchanges;
  left.socket.destroy();
  await first?.closed;
  second?.response.end(EVENTS.slice(2).join(''));
  await stays.until((received) => received.includes('[DONE]'));
  stays.socket.destroy();
  expect((await openStream(gateway)).socket.destroy().destroyed).toBe(true);
  expect(vendor.connections()).toBe(1);
});

test('U-70 a caller who does not read holds up no other', async () => {
  const comment = `: ${'x'.repeat(16_000)}\n\n`;
  let written = 0;
  const vendor = await startVendor(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(OPENING);
    const more = (): void => {
      do written += comment.length;
      while (response.write(comment));
      response.once('drain', more);
    };
    more();
  }, whole);
  const gateway = await start(vendor);
  const slow = await openStream(gateway);
  slow.socket.pause();
  // All buffers on the way fill up.
  for (let before = -1; before < written; ) {
    before = written;
    await sleep(300);
  }
  for (let asked = 0; asked < 5; asked += 1) expect((await askWhole(gateway)).status).toBe(200);
  expect(vendor.connections()).toBe(1);
  slow.socket.destroy();
});

test('U-70 a stream that the vendor resets ends with an error, and the connection stays', async () => {
  const vendor = await startVendor(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(OPENING);
    setImmediate(() => response.stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  }, whole);
  const gateway = await start(vendor);
  const answer = await ask(gateway.url, chat, true);
  expect(await answer.text()).toMatch(/"type":"server_error"|"error":/);
  expect((await askWhole(gateway)).status).toBe(200);
  expect(vendor.connections()).toBe(1);
});

test.each([
  ['NO_ERROR', constants.NGHTTP2_NO_ERROR],
  ['CANCEL', constants.NGHTTP2_CANCEL],
])('U-70 a whole answer that the vendor resets with %s does not look complete', async (_, code) => {
  const answer = wholeAnswer(chat.spoken);
  for (const sent of [answer.slice(0, 60), answer.slice(0, answer.trimEnd().lastIndexOf('}'))]) {
    const vendor = await startVendor(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write(sent);
      setImmediate(() => response.stream.close(code));
    });
    const got = await askWhole(await start(vendor));
    const text = await got.text().catch(() => 'broken');
    expect(text === 'broken' || got.status === 502).toBe(true);
  }
});

test('U-70 a connection that breaks ends what it carries, and what has no answer yet is asked again', async () => {
  const vendor = await startVendor(
    begin,
    ({ session }) => void setImmediate(() => session.destroy(undefined, constants.NGHTTP2_INTERNAL_ERROR)),
    whole,
  );
  const gateway = await start(vendor);
  const stream = await openStream(gateway);
  const answer = await askWhole(gateway);
  expect(answer.status).toBe(200);
  await stream.until((received) => received.includes('"error"'));
  expect([vendor.connections(), vendor.exchanges.length]).toEqual([2, 3]);
});

test('U-70 after GOAWAY a stream goes on, and the next request has another connection', async () => {
  const vendor = await startVendor(begin, whole);
  const gateway = await start(vendor);
  const stream = await openStream(gateway);
  const [first] = vendor.exchanges;
  first?.session.goaway(constants.NGHTTP2_NO_ERROR);
  expect((await askWhole(gateway)).status).toBe(200);
  expect(vendor.connections()).toBe(2);
  first?.response.end(EVENTS.slice(2).join(''));
  await stream.until((received) => received.includes('[DONE]'));
});

/** A frame of HTTP/2 (RFC 9113, 4.1). Stream 0 is the connection. */
function frame(type: number, payload: Buffer, { flags = 0, stream = 0 } = {}): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

test('U-70 a connection that is reset behind a broken frame is not used again', async () => {
  // The answer to the ping fails, because the connection is already reset. The broken frame ends the session, whose
  // last write then never ends. It comes in a TLS record of its own: what is before it fills one (RFC 8446, 5.1).
  const ping = frame(6, Buffer.alloc(8));
  const unknown = frame(0x20, Buffer.alloc(16_384 - ping.length - 9));
  const broken = Buffer.concat([ping, unknown, frame(0, Buffer.alloc(1))]);
  const headers = Buffer.concat([Buffer.from([0x88, 0x0f, 0x10, 16]), Buffer.from('application/json')]);
  const answer = Buffer.concat([
    frame(1, headers, { flags: 4, stream: 1 }),
    frame(0, Buffer.from(wholeAnswer(chat.spoken)), { flags: 1, stream: 1 }),
  ]);
  const acknowledged = frame(4, Buffer.alloc(0), { flags: 1 });
  const secureContext = createSecureContext(TLS);
  let connections = 0;
  const server = createTcpServer((raw) => {
    const socket = new TLSSocket(raw, { isServer: true, secureContext, ALPNProtocols: ['h2'] });
    const isFirst = connections === 0;
    connections += 1;
    socket.on('error', () => undefined).on('secure', () => socket.write(frame(4, Buffer.alloc(0))));
    let received = Buffer.alloc(0);
    const onData = (data: Buffer): void => {
      received = Buffer.concat([received, data]);
      // Then neither side has anything left to write.
      if (!received.includes(acknowledged) || !received.includes('"messages"')) return;
      socket.off('data', onData).resume();
      setImmediate(() => {
        socket.write(isFirst ? broken : answer);
        // Nothing runs in between, so the gateway reads the frames of a connection that is already reset.
        if (isFirst) raw.resetAndDestroy();
      });
    };
    socket.on('data', onData);
    onTestFinished(() => void raw.destroy());
  });
  const port = await bind(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => void server.close());
  const gateway = await start({ url: `https://vendor.test:${port}` });
  expect((await askWhole(gateway)).status).toBe(200);
  expect(connections).toBe(2);
});

test('U-70 a long request arrives whole, and a refusal keeps its status and headers', async () => {
  const vendor = await startVendor(({ response, body }) =>
    response
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' })
      .end(JSON.stringify({ error: { message: `${body.length} are too many`, type: 'requests' } })),
  );
  const gateway = await start(vendor);
  const content = 'x'.repeat(5_000_000);
  const body = JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content }] });
  const { url } = gateway;
  const client = rawClient(Number(new URL(url).port), post(chat.path(false), body));
  await client.until((received) => received.includes('are too many'));
  expect(client.text()).toMatch(/^HTTP\/1\.1 429 (?:.*\r\n)*retry-after: 7\r\n/i);
  expect(vendor.exchanges[0]?.body).toContain(content);
  client.socket.destroy();
});

test('U-70 a server without HTTP/2 is asked by HTTP/1.1, with a spare connection when a caller has left', async () => {
  let connections = 0;
  const server = createServer(TLS, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(OPENING);
  }).on('secureConnection', () => {
    connections += 1;
  });
  const port = await bind(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => void server.close().closeAllConnections());
  const left = await openStream(await start({ url: `https://vendor.test:${port}` }));
  expect(connections).toBe(1);
  left.socket.destroy();
  await eventually(() => connections === 2, 'the next connection is opened');
});
