/** Callers of models on the admin listener, which forwards to the callers' one: they are answered as they are there. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { handshake } from '../server/websocket/stage.ts';
import { ADMIN_KEY, startAdmin, type TestAdmin } from '../support/admin.ts';
import { KEY } from '../support/gateway.ts';
import { bodyOf, exchange, post, rawClient, statusOf } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { requestOf, streamEvents, useStage, ways } from './stage.ts';

const stage = useStage();
let admin: TestAdmin;
let port: number;

beforeAll(async () => {
  admin = await startAdmin(stage.gateway.url);
  port = Number(new URL(admin.url).port);
});
afterAll(() => admin.close());

const [native] = ways;
const CLOSE = 'Connection: close';
const asked = (headers: readonly string[] = [], isStream = false): string =>
  post(native.path, requestOf(native, isStream), headers);

test('C-38 a caller of HTTP/1.0 gets a stream without chunks', async () => {
  stage.respondWith((_, response) => streamEvents(response, 3, 1));
  const answer = await exchange(port, asked([], true).replace('HTTP/1.1', 'HTTP/1.0'));
  expect(answer).toMatch(/^HTTP\/1\.1 200/);
  expect(answer).not.toMatch(/\r\ntransfer-encoding/i);
  expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toMatch(/^(?:data: |event: )/);
});

test('C-38 a caller who waits for 100 Continue gets it, unless the request is refused', async () => {
  stage.respondWith((_, response) => json(response, { late: true }));
  const request = asked(['Expect: 100-continue', CLOSE]);
  const end = request.indexOf('\r\n\r\n') + 4;
  const client = rawClient(port, request.slice(0, end));
  await client.until((text) => text.includes('HTTP/1.1 100 Continue'));
  client.socket.write(request.slice(end));
  expect(await client.over).toContain('"late":true');
  const refused = await exchange(port, request.slice(0, end).replace(KEY, 'gw-wrong'));
  expect(refused).toMatch(/^HTTP\/1\.1 401/);
});

test('C-38 two keys are refused', async () => {
  const answer = await exchange(port, asked(['Authorization: Bearer another', CLOSE]));
  expect(answer).toMatch(/^HTTP\/1\.1 401/);
});

test('C-38 a handshake for a WebSocket is answered', async () => {
  const answer = await exchange(port, `${handshake()}rest`);
  expect(answer).toMatch(/^HTTP\/1\.1 426/);
});

test('C-38 a complete URL names the same resource as its path', async () => {
  const head = (target: string): string =>
    `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n${CLOSE}\r\n\r\n`;
  const answer = await exchange(port, head('http://gateway.example/v1/models'));
  expect(answer).toMatch(/^HTTP\/1\.1 200/);
  expect(bodyOf(answer)).toBe(bodyOf(await exchange(port, head('/v1/models'))));
});

/** The head of a request to the admin API with its key. */
const administering = (target: string, lines: readonly string[] = []): string =>
  [`GET ${target} HTTP/1.1`, `Authorization: Bearer ${ADMIN_KEY}`, ...lines, CLOSE, '', ''].join('\r\n');

test.each([
  '/admin/usage/..\\keys',
  '/admin/usage\\..\\keys',
  '/admin/usage/../keys',
  '/admin/usage/%2e%2E/keys',
  '/admin/./keys',
  '/v1/..\\admin\\keys',
  '/console/../admin/keys',
  '//admin/keys',
  '/admin/keys#x',
  'http://x/..\\admin/keys',
  'http://user@x/v1/models',
  'ftp://x/v1/models',
])(
  'S-17, S-25 %s is not found on the admin listener, whatever it means to a proxy in front',
  async (target) => {
    const told = admin.told.length;
    expect(statusOf(await exchange(port, administering('/admin/keys', ['Host: x'])))).toBe(200);
    expect(statusOf(await exchange(port, administering(target, ['Host: x'])))).toBe(404);
    expect(admin.told).toHaveLength(told);
  },
);

test.each([
  ['a second key', ['Host: x', 'Authorization: Bearer another'], 401],
  ['a second host', ['Host: x', 'Host: y'], 400],
  ['too many headers', ['Host: x', ...Array.from({ length: 100 }, (_, at) => `x-${at}: y`)], 431],
] as const)('the admin API refuses %s', async (_, lines, status) => {
  for (const path of ['/admin/keys', '/admin/config', '/metrics', '/v1/models']) {
    const answer = await exchange(port, administering(path, lines));
    expect(statusOf(answer)).toBe(status);
    expect(JSON.parse(bodyOf(answer))).toMatchObject({ error: { message: expect.any(String) } });
  }
});

test('C-37 nothing is changed by what comes behind the last answer of a connection', async () => {
  const change = JSON.stringify({ name: 'behind' });
  const create = [
    'POST /admin/keys HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${ADMIN_KEY}`,
    `Content-Length: ${change.length}`,
    '',
    change,
  ].join('\r\n');
  const refused = 'POST /admin/keys HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
  const answer = await exchange(port, refused + create);
  expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 400']);
  const named = await exchange(port, administering('/admin/keys?name_prefix=behind', ['Host: x']));
  expect(JSON.parse(bodyOf(named))).toMatchObject({ data: [] });
});

test('C-38 no body is read as a request behind an upgrade that is not taken', async () => {
  stage.respondWith((_, response) => json(response, { ok: true }));
  const inner = 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n';
  const outer = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: ${inner.length}\r\n\r\n`;
  const client = rawClient(port, asked(['Connection: Upgrade', 'Upgrade: h2c']) + outer);
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.socket.write(inner);
  expect((await client.over).match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200']);
});

test.each([
  ['a forwarded call with a wrong key', `POST ${native.path}`, 401],
  ['an admin call with a wrong key', 'POST /admin/keys', 401],
  ['a path that does not exist', 'POST /nowhere', 404],
])('C-38 %s is answered while its body is still being sent', async (_, start, status) => {
  const size = 8 * 1024 * 1024;
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => {
      const head = `${start} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n${CLOSE}\r\nContent-Length: ${2 * size}\r\n\r\n`;
      const client = rawClient(port, head);
      client.socket.write(Buffer.alloc(size, ' '));
      // As many clients, it reads when it has sent.
      client.socket.pause();
      setTimeout(() => client.socket.resume(), 300);
      return client.over;
    }),
  );
  expect(answers.map(statusOf)).toEqual(answers.map(() => status));
  for (const answer of answers) expect(bodyOf(answer)).not.toBe('');
});
