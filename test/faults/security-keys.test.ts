/** Keys: where they may be sent, how they are compared and stored, and that no output ever shows one. */

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errors } from 'undici';
import { describe, expect, test } from 'vitest';
import { KEY } from '../support/gateway.ts';
import { firstKeyFile, firstKeyOf, spawnGateway } from '../support/process.ts';
import { exchange, post, statusOf } from '../support/raw.ts';
import { json, type Respond } from '../support/upstream.ts';
import { requestOf, useStage, ways } from './stage.ts';

const RESTRICTED = 'gw-restricted-key-of-the-tests';
const GEMINI = '/v1beta/models/gemini-2.5-pro:generateContent';

const stage = useStage({
  keys: [{ name: 'restricted', key: RESTRICTED, models: ['google/gemini-2.5-flash'] }],
});

const asked = () => stage.upstream.received.length;
const body = requestOf(ways[0], false);

/** Sends a POST with exactly the given header lines. */
const send = (path: string, lines: readonly string[], text = body): Promise<string> =>
  exchange(
    stage.gateway.port,
    [
      'POST ',
      path,
      ' HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n',
      `Content-Length: ${Buffer.byteLength(text)}\r\n`,
      ...lines.map((line) => `${line}\r\n`),
      '\r\n',
      text,
    ].join(''),
  );

describe('S-01 whether a key is unknown, malformed, long or contradicted', () => {
  test('the answer is the same to the byte, except for its id and its time', async () => {
    const answers = await Promise.all(
      [
        `Bearer gw-none`,
        `Bearer ${KEY}x`,
        `Bearer ${KEY.slice(0, -1)}`,
        `Bearer ${KEY.toUpperCase()}`,
        `Bearer ${'x'.repeat(600)}`,
        `Bearer gw_${'x'.repeat(43)}_00000000`,
        `Basic ${Buffer.from(`user:${KEY}`).toString('base64')}`,
        KEY,
        `Bearer ${KEY} ${KEY}`,
      ].map((value) => send(ways[0].path, [`Authorization: ${value}`])),
    );
    const plain = answers.map((text) => text.replace(/req_[0-9a-f]{32}/g, '').replace(/Date: .*/, ''));
    expect(statusOf(answers[0] ?? '')).toBe(401);
    expect(new Set(plain).size).toBe(1);
    expect(plain[0]).toContain(' The header must be Authorization: Bearer KEY.');
  });

  test('the word on the header Authorization is only for those who sent it', async () => {
    const answer = await send('/v1/messages', ['x-api-key: gw-none']);
    expect(statusOf(answer)).toBe(401);
    expect(answer).not.toContain('Bearer');
  });
});

describe('S-02 what an Authorization header may hold', () => {
  const values: [value: string, status: number][] = [
    ["' OR '1'='1", 401],
    [`Bearer ' OR 1=1 --`, 401],
    ['Bearer {"$ne":null}', 401],
    ['Bearer ../../etc/passwd', 401],
    ['Bearer %00', 401],
    ['Bearer \x7f', 400],
    [`Bearer ${Buffer.from('ключ').toString('latin1')}`, 401],
    [`Bearer ${'x'.repeat(8_000)}`, 401],
    ['Bearer', 401],
    ['Bearer ', 401],
    ['', 401],
    ['Bearer __proto__', 401],
    ['Bearer constructor', 401],
    [`Bearer\t${KEY}`, 401],
    [`Token ${KEY}`, 401],
    [`Bearer ${KEY}, Bearer ${KEY}`, 401],
    [`Bearer ${KEY}`, 200],
    [`bearer   ${KEY}`, 200],
  ];
  test.each(values.map(([value, status]) => [JSON.stringify(value.slice(0, 40)), value, status] as const))(
    '%s',
    async (_, value, status) => {
      const before = asked();
      expect(statusOf(await send(ways[0].path, [`Authorization: ${value}`]))).toBe(status);
      expect(asked() - before).toBe(status === 200 ? 1 : 0);
    },
  );

  test('the same key in two Authorization headers is one key; two keys are refused for being two', async () => {
    const line = `Authorization: Bearer ${KEY}`;
    const before = asked();
    expect(statusOf(await send('/v1/chat/completions', [line, line]))).toBe(200);
    expect(asked() - before).toBe(1);
    const refused = await send('/v1/chat/completions', [line, 'Authorization: Bearer gw-none']);
    expect(statusOf(refused)).toBe(401);
    expect(String(refused)).toContain('more than one Authorization header');
  });

  test.each([
    [
      'two Authorization headers',
      '/v1/chat/completions',
      ['Authorization: Bearer gw-none', `Authorization: Bearer ${KEY}`],
    ],
    [
      'the same, the good one first',
      '/v1/chat/completions',
      [`Authorization: Bearer ${KEY}`, 'Authorization: Bearer gw-none'],
    ],
    ['x-api-key and Authorization', '/v1/messages', [`Authorization: Bearer ${KEY}`, 'x-api-key: gw-none']],
    ['x-api-key twice', '/v1/messages', [`x-api-key: ${KEY}`, 'x-api-key: gw-none']],
    ['x-goog-api-key and Authorization', GEMINI, ['Authorization: Bearer gw-none', `x-goog-api-key: ${KEY}`]],
    ['both names of the google header', GEMINI, ['x-vendorc-api-key: gw-none', `x-goog-api-key: ${KEY}`]],
    ['two keys in the query', `${GEMINI}?key=${KEY}&key=gw-none`, []],
    ['two keys in the query, the other way round', `${GEMINI}?key=gw-none&key=${KEY}`, []],
    [
      'a wrong key in a header, the right one in the query',
      `${GEMINI}?key=${KEY}`,
      ['x-goog-api-key: gw-none'],
    ],
    ['a carrier of another family', '/v1/chat/completions', [`x-api-key: ${KEY}`]],
    ['the query, outside /v1beta', `/v1/chat/completions?key=${KEY}`, []],
    ['the query, on messages', `/v1/messages?key=${KEY}`, []],
    ['a cookie', '/v1/chat/completions', [`Cookie: key=${KEY}; authorization=Bearer ${KEY}`]],
  ])('carriers that disagree, or hold no key: %s', async (_, path, lines) => {
    const before = asked();
    expect(statusOf(await send(path, lines))).toBe(401);
    expect(asked()).toBe(before);
  });

  /**
   * SDKs send an empty header for a variable that is set to nothing: Claude Code's shell sets both of Anthropic's that
   * way.
   */
  test.each([
    ['x-api-key', '/v1/messages', [`Authorization: Bearer ${KEY}`, 'x-api-key:']],
    ['Authorization', '/v1/messages', ['Authorization: Bearer', `x-api-key: ${KEY}`]],
    ['Authorization without a scheme', '/v1/messages', ['Authorization:', `x-api-key: ${KEY}`]],
    ['x-goog-api-key', GEMINI, [`Authorization: Bearer ${KEY}`, 'x-goog-api-key:']],
    ['x-goog-api-key together with the query', `${GEMINI}?key=${KEY}`, ['x-goog-api-key:']],
  ])('an empty carrier counts as absent: %s', async (_, path, lines) => {
    stage.respondWith((__, response) => json(response, {}));
    const text = path === '/v1/messages' ? '{"model":"claude-opus-4-8","max_tokens":1,"messages":[]}' : '{}';
    expect(statusOf(await send(path, lines, text))).toBe(200);
  });

  test('a value cannot inject a header line', async () => {
    const answer = await send(ways[0].path, [`X: y\r\n\r\nAuthorization: Bearer ${KEY}`]);
    expect(statusOf(answer)).toBe(401);
  });
});

describe('S-03 keys at rest', () => {
  test("of a first start's key only the hash is stored, once its owner has deleted the file", async () => {
    const gateway = await spawnGateway({}, { keyless: true });
    const key = await firstKeyOf(gateway);
    expect(key).toMatch(/^gw_[\w-]{43}_[0-9a-f]{8}$/);
    expect(gateway.output()).not.toContain(key);
    // The start tells its owner to do so.
    rmSync(firstKeyFile(gateway.directory));
    const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    const kept = readdirSync(gateway.directory, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(kept.length).toBeGreaterThan(1);
    for (const entry of kept) {
      const bytes = readFileSync(join(entry.parentPath, entry.name), 'latin1');
      expect(bytes, entry.name).not.toContain(key);
      expect(bytes, entry.name).not.toContain(key.slice(3, 46));
    }
    await gateway.close();
  });
});

describe('S-04 the key in the query', () => {
  test('works below /v1beta, a header takes precedence, and the key goes no further than the gateway', async () => {
    stage.respondWith((_, response) => json(response, {}));
    const answer = await send(`${GEMINI}?alt=json&key=${KEY}&x=1`, [], '{"contents":[]}');
    expect(statusOf(answer)).toBe(200);
    expect(answer).not.toContain(KEY);
    const got = stage.upstream.received.at(-1);
    expect(got?.url).toBe(`${GEMINI}?alt=json&x=1`);
    expect(JSON.stringify(got?.headers)).not.toContain(KEY);
    expect(statusOf(await send(`${GEMINI}?key=gw-none`, [`x-goog-api-key: ${KEY}`], '{}'))).toBe(200);
    expect(stage.upstream.received.at(-1)?.url).not.toContain('gw-none');
  });

  test.each([
    `${GEMINI}x`,
    '/v1beta/nope',
    '/v1beta/models/none:generateContent',
    '/nope',
    '/v1/embeddings',
    '/v1/models/none',
  ])('appears in no error: %s', async (path) => {
    const answer = await send(
      `${path}?key=${KEY}&%6bey=${KEY}`,
      [`x-goog-api-key: ${KEY}`],
      '{"contents":[]}',
    );
    expect(statusOf(answer)).toBeGreaterThanOrEqual(400);
    expect(answer).not.toContain(KEY);
  });

  test.each([
    '$key',
    'access_token',
    '$access_token',
    'oauth_token',
    'userProject',
    '$userProject',
    '$httpHeaders',
  ])('nor does another parameter that chooses the account: %s', async (name) => {
    stage.respondWith((_, response) => json(response, {}));
    const query = `?alt=json&${encodeURIComponent(name)}=of-the-caller&x=1`;
    expect(statusOf(await send(GEMINI + query, [`x-goog-api-key: ${KEY}`], '{"contents":[]}'))).toBe(200);
    expect(stage.upstream.received.at(-1)?.url).toBe(`${GEMINI}?alt=json&x=1`);
  });

  test('spelled with escapes, it is still the key, and still goes no further', async () => {
    expect(statusOf(await send(`${GEMINI}?%6Bey=${KEY}`, [], '{"contents":[]}'))).toBe(200);
    expect(stage.upstream.received.at(-1)?.url).toBe(GEMINI);
  });
});

describe('S-05 an error on the way to a vendor', () => {
  test("shows neither its address, nor its key, nor undici's message", async () => {
    const breaks: Respond[] = [
      (_, response) => response.destroy(),
      (_, response, request) =>
        request.socket.write('HTTP/1.1 200 OK\r\nBad header\r\n\r\n', () => response.destroy()),
      (_, response, request) =>
        request.socket.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`, () => response.destroy()),
      (_, response, request) =>
        request.socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello', () =>
          response.destroy(),
        ),
      (_, response, request) => request.socket.end('nonsense', () => response.destroy()),
    ];
    const names = Object.values(errors).map((error) => error.name);
    expect(names.length).toBeGreaterThan(10);
    const port = new URL(stage.upstream.url).port;
    for (const respond of breaks) {
      stage.respondWith(respond);
      for (const way of ways) {
        const answer = await exchange(
          stage.gateway.port,
          post(way.path, requestOf(way, true), ['Connection: close']),
        );
        expect(statusOf(answer)).toBe(502);
        for (const told of [port, '127.0.0.1', 'vendor-key', 'UND_', 'ECONN', 'socket', ...names])
          expect(answer).not.toContain(told);
      }
    }
  });
});

describe('S-24 a flood of wrong keys', () => {
  test('2,000 of them cost a caller with the right key nothing but its turn', async () => {
    stage.respondWith((_, response) => json(response, {}));
    const before = asked();
    let refused = 0;
    const guess = async (at: number): Promise<void> => {
      // It announces a body and sends not a byte of it: nobody waits for it.
      const answer = await send(ways[0].path, [`Authorization: Bearer gw-guess-${at}`], '');
      if (statusOf(answer) === 401) refused++;
    };
    for (let round = 0; round < 20; round++) {
      await Promise.all([
        ...Array.from({ length: 100 }, (_, at) => guess(round * 100 + at)),
        send(ways[0].path, [`Authorization: Bearer ${KEY}`]).then((answer) =>
          expect(statusOf(answer)).toBe(200),
        ),
      ]);
    }
    expect(refused).toBe(2_000);
    expect(asked() - before).toBe(20);
  });
});

describe('S-48 what a key may know is kept by no cache in front', () => {
  test.each([
    ['/v1/models', 'x-api-key'],
    ['/v1/models', 'x-goog-api-key'],
    ['/v1/models/gemini-2.5-flash', 'x-goog-api-key'],
    ['/v1/models/google/gemini-2.5-flash', 'x-api-key'],
    ['/v1beta/models', 'x-goog-api-key'],
    ['/v1beta/models/gemini-2.5-flash', 'x-goog-api-key'],
    ['/v1/key', 'x-api-key'],
    ['/v1/models', 'authorization'],
    ['/console/models.json', 'authorization'],
  ])('%s with the key in %s', async (path, header) => {
    // Shared caches keep no answer to a request with `Authorization` (RFC 9111, 3.5). They know no other header for keys.
    for (const [key, status] of [
      [RESTRICTED, 200],
      ['gw-none', 401],
    ] as const) {
      const carried = header === 'authorization' ? `Bearer ${key}` : key;
      const headers = { [header]: carried, connection: 'close' };
      const response = await fetch(stage.gateway.url + path, { headers });
      expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'no-store']);
    }
  });

  test('nor is that a model does not exist for it', async () => {
    for (const path of ['/v1/models/gpt-4.1', '/v1beta/models/gemini-2.5-pro', '/v1beta/models/%ff']) {
      const headers = { 'x-goog-api-key': RESTRICTED, connection: 'close' };
      const response = await fetch(stage.gateway.url + path, { headers });
      expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
    }
  });
});
