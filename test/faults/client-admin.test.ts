/** Callers of models on the admin listener, which forwards to the callers' one: they are answered as they are there. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { handshake } from '../server/websocket/stage.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
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
