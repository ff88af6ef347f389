/** Requests that Node's parser refuses: what is wrong is said in words, on both listeners, and nothing of them is repeated. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import { exchange, rawClient, statusOf } from '../support/raw.ts';
import { openStage, type Stage, useStage } from './stage.ts';

const stage = useStage();
let admin: TestAdmin;
let workers: Stage;
beforeAll(async () => {
  admin = await startAdmin(stage.gateway.url);
  workers = await openStage({ workers: 2 });
});
afterAll(async () => {
  await admin.close();
  await workers.close();
});

/** The ports of a process, of two workers, and of the admin listener. */
const ports = (): readonly number[] => [
  stage.gateway.port,
  workers.gateway.port,
  Number(new URL(admin.url).port),
];

const SECRET = 'gw-secret-of-the-caller';
const HEAD = `Host: x\r\nAuthorization: Bearer ${SECRET}\r\n`;
const get = (start: string, headers = HEAD): string => `${start}\r\n${headers}\r\n`;
const TARGET = 'GET /v1/models HTTP/1.1';

/** The message of an answer that is one error in JSON, as long as it says. */
function messageIn(answer: string): unknown {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/\r\ncontent-type: application\/json/i);
  expect(head).toMatch(/\r\nconnection: close/i);
  expect(head).toMatch(new RegExp(`\r\ncontent-length: ${body.length}(?:\r\n|$)`, 'i'));
  const { error } = JSON.parse(Buffer.from(body, 'latin1').toString());
  expect(error).toEqual({
    message: expect.any(String),
    type: 'invalid_request_error',
    param: null,
    code: null,
  });
  return error.message;
}

const CASES: readonly [name: string, bytes: string, status: number, message: RegExp][] = [
  [
    'a query in raw UTF-8',
    get('GET /v1/models?x=m\u00fcller HTTP/1.1'),
    400,
    /beyond ASCII .* percent-encoding/,
  ],
  ['a method that nobody knows', get(`${SECRET} / HTTP/1.1`), 400, /known HTTP method/],
  ['a method in small letters', get('get / HTTP/1.1'), 400, /capital letters/],
  ['a version that nobody knows', get('GET / HTTP/3.7'), 400, /version 1\.1 or 1\.0/],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, /HTTP\/2/],
  ['a space in the target', get('GET /a b HTTP/1.1'), 400, /%20/],
  ['too large a header', get(TARGET, `${HEAD}X: ${'y'.repeat(20_000)}\r\n`), 431, /more than 16384 bytes/],
  ['a name with a space', get(TARGET, `${HEAD}X y: 1\r\n`), 400, /header .* character/],
  [
    'a length in words',
    get(TARGET, `${HEAD}Content-Length: two\r\n`),
    400,
    /Content-Length is not a whole number/,
  ],
  [
    'two lengths',
    get(TARGET, `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n`),
    400,
    /second Content-Length/,
  ],
  ['no host', get(TARGET, `Authorization: Bearer ${SECRET}\r\n`), 400, /no Host header/],
  [
    'chunks in HTTP/1.0, on a connection that is to be kept',
    get('GET /nowhere HTTP/1.0', `${HEAD}Connection: keep-alive\r\nTransfer-Encoding: Chunked\r\n`) +
      `0\r\n\r\n${get(TARGET)}`,
    400,
    /Transfer-Encoding may only be chunked, and only in HTTP\/1\.1/,
  ],
  [
    'chunks of another coding',
    get('POST /nowhere HTTP/1.1', `${HEAD}Transfer-Encoding: identity, chunked\r\n`) +
      `0\r\n\r\n${get(TARGET)}`,
    400,
    /Transfer-Encoding may only be chunked/,
  ],
  ['an unknown expectation', get(TARGET, `${HEAD}Expect: more\r\n`), 417, /may only be 100-continue/],
  ['CONNECT, as to a proxy', get('CONNECT api.example.com:443 HTTP/1.1'), 405, /not a proxy/],
];

test.each(CASES)('C-39 %s', async (_, bytes, status, message) => {
  for (const port of ports()) {
    const answer = await exchange(port, Buffer.from(bytes));
    expect(statusOf(answer)).toBe(status);
    expect(messageIn(answer)).toMatch(message);
    expect(answer).not.toContain(SECRET);
  }
});

test('C-39 a caller who sends on gets to read what is wrong', async () => {
  for (const port of ports()) {
    const client = rawClient(port, get(TARGET, `X: ${'y'.repeat(20_000)}\r\n`));
    const rest = Buffer.alloc(4 * 1024 * 1024, 'y');
    client.socket.write(rest);
    expect(messageIn(await client.over)).toMatch(/more than 16384 bytes/);
  }
});

test('C-39 a caller who asks for a tunnel and resets its connection ends nothing', async () => {
  for (const port of ports()) {
    for (let times = 0; times < 20; times++) {
      const client = rawClient(port, get('CONNECT api.example.com:443 HTTP/1.1'));
      await client.until((text) => text.includes('not a proxy'));
      client.socket.resetAndDestroy();
    }
    expect(statusOf(await exchange(port, get('GET / HTTP/1.1', 'Host: x\r\nConnection: close\r\n')))).toBe(
      200,
    );
  }
});
