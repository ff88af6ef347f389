/** HTTP that libraries do not write: framing, heads, methods, pipelines. What is refused reaches no vendor. */

import { describe, expect, test } from 'vitest';
import { chatCompletion } from '../support/chat-completion.ts';
import { KEY } from '../support/gateway.ts';
import { exchange, post, rawClient, statusOf } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { requestOf, STREAM_END, streamEvents, useStage, ways } from './stage.ts';

const stage = useStage();

const [native] = ways;
const body = requestOf(native, false);
const CLOSE = 'Connection: close';
const send = (bytes: string | Uint8Array) => exchange(stage.gateway.port, bytes);
const asked = () => stage.upstream.received.length;

/** A head with the key and the given lines. */
const head = (start: string, ...lines: string[]): string =>
  [
    start,
    'Host: gateway',
    `Authorization: Bearer ${KEY}`,
    'Content-Type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n');
const CHAT = 'POST /v1/chat/completions HTTP/1.1';

const chunked = (...chunks: string[]) =>
  `${chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n`;

describe('connections that are kept', () => {
  test('they outlast those of proxies that keep an idle one for up to two minutes by default', async () => {
    const client = rawClient(stage.gateway.port, 'GET /health/live HTTP/1.1\r\nHost: gateway\r\n\r\n');
    const answer = await client.until((text) => text.includes('"ok"'));
    client.socket.destroy();
    const [, kept] = /^keep-alive: timeout=(\d+)\r$/im.exec(answer) ?? [];
    // Caddy's `keepalive` is two minutes, Traefik's `idleConnTimeout` 90 s, nginx's `keepalive_timeout` a minute.
    expect(Number(kept)).toBeGreaterThan(120);
  });
});

describe('bodies in chunks', () => {
  test.each([
    ['one', chunked(body)],
    ['a byte each', chunked(...body)],
    ['with extensions', chunked(body).replace('\r\n', ';name=value\r\n')],
    [
      'with trailers, which are ignored',
      `${chunked(body)}x-trailer: 1\r\nauthorization: Bearer nonsense\r\n`,
    ],
  ])('C-22 %s: accepted, without a content-length', async (_, sent) => {
    const answer = await send(`${head(CHAT, 'Transfer-Encoding: chunked', CLOSE)}${sent}\r\n`);
    expect(statusOf(answer)).toBe(200);
    const got = stage.upstream.received.at(-1);
    expect(got?.body.toString()).toBe(body);
    expect(got?.headers).not.toHaveProperty('x-trailer');
  });

  test('C-22 a chunk of length zero is the end, and what follows is another request', async () => {
    const answer = await send(
      `${head(CHAT, 'Transfer-Encoding: chunked', CLOSE)}0\r\n\r\n${chunked(body)}\r\n`,
    );
    expect(statusOf(answer)).toBe(400);
  });

  test.each([
    ['not a number', `zz\r\n${body}\r\n0\r\n\r\n`],
    ['signed', `+5\r\nhello\r\n0\r\n\r\n`],
    ['too large for any number', `ffffffffffffffffff\r\n${body}`],
    ['an extension of 20 KB', `5;x=${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`],
    ['longer than declared', `2\r\nhello\r\n0\r\n\r\n`],
  ])('C-23 %s: refused, and the connection closed', async (_, sent) => {
    const before = asked();
    const answer = await send(head(CHAT, 'Transfer-Encoding: chunked') + sent);
    expect([400, 413]).toContain(statusOf(answer));
    expect(asked()).toBe(before);
  });
});

describe('pipelined requests', () => {
  test('C-24 are answered in order; the vendor gets each request when the one before is done', async () => {
    let going = 0;
    let most = 0;
    stage.respondWith(({ body: got }, response) => {
      most = Math.max(most, ++going);
      setTimeout(() => {
        going--;
        json(response, { got: JSON.parse(got.toString()).messages[0].content });
      }, 50);
    });
    const texts = ['first', 'second', 'third', 'fourth'];
    const requests = texts.map((text, at) =>
      post(native.path, requestOf(native, false, text), at === texts.length - 1 ? [CLOSE] : []),
    );
    const answer = await send(requests.join(''));
    expect([...answer.matchAll(/"got":"(\w+)"/g)].map(([, text]) => text)).toEqual(texts);
    expect(most).toBe(1);
  });

  test('C-24 a stream among them ends before the next begins', async () => {
    stage.respondWith(({ body: got }, response) => {
      const { stream } = JSON.parse(got.toString());
      if (stream) streamEvents(response, 5, 10);
      else json(response, { last: true });
    });
    const answer = await send(
      post(native.path, requestOf(native, true)) + post(native.path, requestOf(native, false), [CLOSE]),
    );
    expect(answer.indexOf('[DONE]')).toBeGreaterThan(0);
    expect(answer.indexOf('"last":true')).toBeGreaterThan(answer.indexOf('[DONE]'));
  });

  test('C-24 a refused one does not block the others', async () => {
    stage.respondWith((_, response) => json(response, { ok: true }));
    const answer = await send(
      post(native.path, '{"model":"none"}') +
        post(native.path, body) +
        `GET /health/live HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n\r\n`,
    );
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  });
});

describe('HTTP/1.0', () => {
  test.each(ways)(
    'C-26 $way, whole and streamed: no chunks, and the answer ends with the connection',
    async (way) => {
      stage.respondWith(({ body: got }, response) => {
        if (JSON.parse(got.toString()).stream) return streamEvents(response, 3, 5);
        json(response, chatCompletion());
      });
      for (const stream of [false, true]) {
        const answer = await send(post(way.path, requestOf(way, stream)).replace('HTTP/1.1', 'HTTP/1.0'));
        expect(statusOf(answer)).toBe(200);
        expect(answer).toMatch(/\r\nconnection: close\r\n/i);
        expect(answer).not.toMatch(/transfer-encoding/i);
        const [, sent = ''] = answer.split('\r\n\r\n', 2);
        expect(sent).toMatch(stream ? /^(?:data|event): / : /^\{.*\}$/);
        if (stream && way.way === 'native') expect(answer.endsWith(STREAM_END)).toBe(true);
      }
    },
  );

  test('C-26 an answer that breaks off does not end as a whole one does', async () => {
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":"c","choices":[');
      setTimeout(() => response.destroy(), 50);
    });
    const client = rawClient(stage.gateway.port, post(native.path, body).replace('HTTP/1.1', 'HTTP/1.0'));
    let ended = false;
    client.socket.once('end', () => {
      ended = true;
    });
    expect(await client.over).toMatch(/^HTTP\/1\.[01] 200 /);
    expect(ended).toBe(false);
  });
});

describe('Expect', () => {
  const expecting = (headers: string, length = Buffer.byteLength(body)): string =>
    `${CHAT}\r\nHost: gateway\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n${headers}\r\n\r\n`;

  test('C-27 a good head gets 100 Continue, and the body is accepted', async () => {
    stage.respondWith((_, response) => json(response, { ok: true }));
    const client = rawClient(stage.gateway.port, expecting(`Authorization: Bearer ${KEY}\r\n${CLOSE}`));
    await client.until((text) => text.startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    client.socket.write(body);
    expect(await client.over).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
  });

  test.each([
    ['no key', 401, expecting('X: y')],
    ['a wrong key', 401, expecting('Authorization: Bearer gw-none')],
    ['too much announced', 413, expecting(`Authorization: Bearer ${KEY}`, 99_999_999)],
    [
      'an unsupported content type',
      415,
      expecting(`Authorization: Bearer ${KEY}`).replace('application/json', 'text/plain'),
    ],
    ['no such path', 404, expecting(`Authorization: Bearer ${KEY}`).replace('/v1/chat', '/v1/chit')],
    ['no such method', 405, expecting(`Authorization: Bearer ${KEY}`).replace('POST', 'PUT')],
  ])('C-27 %s: %d, and no 100 before it', async (_, status, request) => {
    const answer = await send(request);
    expect(statusOf(answer)).toBe(status);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  });

  test('C-28 an unknown expectation: 417, and nothing is done', async () => {
    const before = asked();
    const answer = await send(post(native.path, body, ['Expect: 200-ok', CLOSE]));
    expect(statusOf(answer)).toBe(417);
    expect(asked()).toBe(before);
  });
});

describe('heads that two parsers would read differently', () => {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const line = `${CHAT}\r\nHost: gateway\r\nAuthorization: Bearer ${KEY}\r\n`;
  const smuggled: [name: string, bytes: string | Buffer][] = [
    ['length and chunks', `${line}${length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks and length', `${line}Transfer-Encoding: chunked\r\n${length}\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${line}${length}\r\nContent-Length: 5\r\n\r\n${body}`],
    ['two lengths in one', `${line}Content-Length: 5, 5\r\n\r\nhello`],
    ['a signed length', `${line}Content-Length: +5\r\n\r\nhello`],
    ['a negative length', `${line}Content-Length: -1\r\n\r\n${body}`],
    ['a hexadecimal length', `${line}Content-Length: 0x5\r\n\r\nhello`],
    ['an empty length', `${line}Content-Length: \r\n\r\n${body}`],
    ['a length beyond all numbers', `${line}Content-Length: 99999999999999999999\r\n\r\n${body}`],
    ['chunks and identity', `${line}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['chunks after identity', `${line}Transfer-Encoding: identity, chunked\r\n\r\n${chunked(body)}\r\n`],
    ['chunks after another coding', `${line}Transfer-Encoding: gzip, chunked\r\n\r\n${chunked(body)}\r\n`],
    ['chunks twice', `${line}Transfer-Encoding: chunked, chunked\r\n\r\n${chunked(body)}\r\n`],
    [
      'chunks in HTTP/1.0',
      `${line.replace('HTTP/1.1', 'HTTP/1.0')}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(body)}\r\n${post(native.path, body)}`,
    ],
    ['chunks misspelled', `${line}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['chunks with a space before the colon', `${line}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['chunks after a vertical tab', `${line}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`],
    ['lines ended by LF', `${line}${length}\r\n\r\n${body}`.replaceAll('\r\n', '\n')],
    ['one line ended by LF', `${line}X: y\n${length}\r\n\r\n${body}`],
    ['one line ended by CR', `${line}X: y\r${length}\r\n\r\n${body}`],
    ['a folded line', `${line}X: y\r\n  z\r\n${length}\r\n\r\n${body}`],
    ['a NUL in a value', `${line}X: y\0z\r\n${length}\r\n\r\n${body}`],
    ['a NUL in a name', `${line}X\0: y\r\n${length}\r\n\r\n${body}`],
    ['a name with a space', `${line}X y: z\r\n${length}\r\n\r\n${body}`],
    ['a line without a colon', `${line}nonsense\r\n${length}\r\n\r\n${body}`],
    ['no host', `${CHAT}\r\nAuthorization: Bearer ${KEY}\r\n${length}\r\n\r\n${body}`],
    ['a space in the target', `${line.replace('/v1', '/v1 x')}${length}\r\n\r\n${body}`],
    ['HTTP/3.7', `${line.replace('HTTP/1.1', 'HTTP/3.7')}${length}\r\n\r\n${body}`],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS handshake', Buffer.from('160301009c010000980303', 'hex')],
    ['noise', Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * 7919 + 13) % 256))],
  ];

  test.each(smuggled)('C-30 %s: 400, the connection closed, no vendor asked', async (_, bytes) => {
    const before = asked();
    const answer = await send(bytes);
    expect(statusOf(answer)).toBe(400);
    expect(answer).not.toMatch(/HTTP\/1\.1 [^4]/);
    expect(asked()).toBe(before);
  });

  test('C-37 no vendor is asked by what comes behind the last answer of a connection', async () => {
    const before = asked();
    const refused = `${line.replace('HTTP/1.1', 'HTTP/1.0')}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(body)}\r\n`;
    for (let times = 0; times < 20; times += 1) {
      expect(statusOf(await send(refused + post(native.path, body)))).toBe(400);
    }
    expect(asked()).toBe(before);
  });

  test("C-31 two hosts: 400 in the caller's format", async () => {
    const before = asked();
    for (const way of ways) {
      const answer = await send(post(way.path, requestOf(way, false), ['Host: other', CLOSE]));
      expect(statusOf(answer)).toBe(400);
      expect(answer).toContain('invalid_request_error');
    }
    expect(asked()).toBe(before);
  });

  test.each(['', '[', 'a b', 'a@b', 'evil.example:99999', '../..', '::1', 'x'.repeat(8_000)])(
    'C-31 the host %j is ignored',
    async (host) => {
      stage.respondWith((_, response) => json(response, { ok: true }));
      const answer = await send(post(native.path, body, [CLOSE]).replace('Host: gateway', `Host: ${host}`));
      expect(statusOf(answer)).toBe(200);
      if (host !== '') expect(answer.slice(0, answer.indexOf('\r\n\r\n'))).not.toContain(host);
      expect(stage.upstream.received.at(-1)?.headers.host).toBe(new URL(stage.upstream.url).host);
    },
  );

  test.each(['http://evil.example', 'HTTPS://evil.example:444', 'http://[::1]:80', 'http://127.0.0.1:9'])(
    'C-31 a whole URL as the target is served as its path, whatever its host: %j',
    async (origin) => {
      stage.respondWith((_, response) => json(response, { ok: true }));
      const answer = await send(post(`${origin}${native.path}`, body, [CLOSE]));
      expect(statusOf(answer)).toBe(200);
      expect(answer).not.toContain('evil');
      expect(stage.upstream.received.at(-1)?.headers.host).toBe(new URL(stage.upstream.url).host);
      expect(statusOf(await send(`GET ${origin} HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n\r\n`))).toBe(200);
      expect(statusOf(await send(`GET ${origin}?x=1 HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n\r\n`))).toBe(200);
    },
  );

  test.each([
    'http://',
    'http://a@evil.example',
    'http://evil.example\\',
    'http:/evil.example',
    'ftp://x',
    'evil.example:443',
    '*',
    '',
  ])('C-31 a target that begins with %j is not a path', async (authority) => {
    const before = asked();
    const answer = await send(
      post(`${authority}${authority === '*' ? '' : '/v1/chat/completions'}`.replace(/^\//, 'x/'), body, [
        CLOSE,
      ]),
    );
    expect([400, 404]).toContain(statusOf(answer));
    expect(answer).not.toContain('evil');
    expect(asked()).toBe(before);
  });
});

describe('heads that are too large', () => {
  test.each([
    ['one header of 20 KB', `X: ${'y'.repeat(20_000)}\r\n`],
    ['a name of 20 KB', `${'y'.repeat(20_000)}: x\r\n`],
    ['1,500 headers', 'X: y\r\n'.repeat(1_500)],
    ['101 headers', Array.from({ length: 101 }, (_, at) => `X-${at}: y\r\n`).join('')],
    ['5,000 empty ones', 'X:\r\n'.repeat(5_000)],
  ])('C-32 %s: 431', async (_, lines) => {
    const before = asked();
    const answer = await send(
      post(native.path, body, [CLOSE]).replace('Content-Type', `${lines}Content-Type`),
    );
    expect(statusOf(answer)).toBe(431);
    expect(asked()).toBe(before);
  });

  test('C-32 a target of 20 KB: 431', async () => {
    expect(statusOf(await send(post(`/v1/${'x'.repeat(20_000)}`, body)))).toBe(431);
  });
});

describe('methods', () => {
  const bare = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n${CLOSE}\r\n\r\n`;

  test.each([
    '/v1/chat/completions',
    '/v1/responses',
    '/v1/messages',
    '/v1/messages/count_tokens',
    '/v1/models',
    '/v1beta/models',
    '/v1beta/models/gemini-2.5-pro:generateContent',
  ])('C-33 %s lists the methods that it accepts', async (path) => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY', 'SEARCH']) {
      const answer = await send(bare(method, path));
      expect(statusOf(answer), method).toBe(405);
      expect(answer).toMatch(/\r\nallow: (?:GET|POST|GET, POST)\r\n/);
    }
    expect(statusOf(await send(bare('OPTIONS', path)))).toBe(204);
  });

  test.each(['/', '/v1/models', '/v1/models/gpt-4o', '/v1beta/models', '/health/live', '/health/ready'])(
    'C-33 HEAD %s is GET without a body',
    async (path) => {
      const answer = await send(bare('HEAD', path));
      expect(statusOf(answer)).toBe(200);
      expect(answer.endsWith('\r\n\r\n')).toBe(true);
    },
  );

  test('C-33 CONNECT opens no tunnel, and an upgrade upgrades nothing', async () => {
    stage.respondWith((_, response) => json(response, { ok: true }));
    const connect = 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n';
    const refused = await send(connect);
    expect(statusOf(refused)).toBe(405);
    expect(refused).toContain('\r\nallow: \r\n');
    // Behind a request, which still gets its answer.
    const behind = await send(post(native.path, body, []) + connect);
    expect(behind.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(behind).toContain('{"ok":true}');
    // Java's HttpClient offers h2c with its first request, and sends its next requests on the same connection.
    for (const protocol of ['websocket', 'h2c']) {
      const upgrade = [
        `Upgrade: ${protocol}`,
        'Connection: Upgrade, HTTP2-Settings',
        'HTTP2-Settings: AAMAAABk',
      ];
      const client = rawClient(stage.gateway.port, post(native.path, body, upgrade));
      await client.until((text) => text.includes('{"ok":true}'));
      client.socket.write(post(native.path, body, [CLOSE]));
      const answer = await client.over;
      expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    }
  });
});

describe('Accept', () => {
  test.each(ways)('C-34 $way: the body decides whether the answer is a stream', async (way) => {
    stage.respondWith(({ body: got }, response) => {
      if (JSON.parse(got.toString()).stream) return streamEvents(response, 2, 1);
      json(response, chatCompletion());
    });
    const streamed = await send(post(way.path, requestOf(way, true), ['Accept: application/json', CLOSE]));
    expect(streamed).toMatch(/\r\ncontent-type: text\/event-stream/);
    const whole = await send(post(way.path, requestOf(way, false), ['Accept: text/event-stream', CLOSE]));
    expect(whole).toMatch(/\r\ncontent-type: application\/json/);
  });
});
