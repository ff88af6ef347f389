/** `createGateway`: a request and its answer, without a server between. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ConfigInput } from '../../../src/config/config-input.ts';
import { createGateway, type MountedGateway, type MountOptions } from '../../../src/server/mounted/index.ts';
import { createKey } from '../../../src/store/keys/keys.ts';
import { openStore } from '../../../src/store/store.ts';
import { startUpstream, type TestUpstream } from '../../support/upstream.ts';

const KEY = 'gw-a-key-of-the-tests';
const MODEL = 'openai/gpt-4.1';
const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
const CHUNK = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"${'word '.repeat(200)}"},"finish_reason":null}]}\n\n`;

/** What the vendor does next, and how much of an endless answer it could write. */
let behaviour: 'silent' | 'endless' | 'whole' | 'empty' = 'whole';
let written = 0;
let upstream: TestUpstream;
beforeAll(async () => {
  upstream = await startUpstream((_, response) => {
    if (behaviour === 'silent') return;
    if (behaviour === 'empty') {
      response.writeHead(204).end();
      return;
    }
    if (behaviour === 'whole') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"chat.completion"}');
      return;
    }
    written = 0;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = (): void => {
      while (!response.destroyed) {
        written += CHUNK.length;
        if (!response.write(CHUNK)) {
          response.once('drain', write);
          return;
        }
      }
    };
    write();
  });
});
afterAll(() => upstream.close());

/** A gateway before the vendor, closed with the test. */
function mounted(config: ConfigInput = {}, options: MountOptions = {}): MountedGateway {
  const keys = [{ name: 'test', key: KEY }];
  const vendors = { openai: { apiKey: 'a-key-of-the-vendor', baseUrl: `${upstream.url}/v1` } };
  const gateway = createGateway({ keys, vendors, ...config }, options);
  onTestFinished(() => gateway.close());
  return gateway;
}

function asking(more: object = {}, init: RequestInit = {}, path = '/v1/chat/completions'): Request {
  const body = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }], ...more });
  return new Request(`http://gateway.test${path}`, { method: 'POST', headers: HEADERS, body, ...init });
}

test('it answers, by the same paths as the server, and says who may not ask', async () => {
  behaviour = 'whole';
  const { fetch } = mounted();
  expect(await (await fetch(asking())).json()).toEqual({ object: 'chat.completion' });
  const refused = await fetch(asking({}, { headers: { 'content-type': 'application/json' } }));
  expect([refused.status, await refused.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }]);
  const list = await fetch(new Request('http://gateway.test/v1/models', { headers: HEADERS }));
  expect(await list.json()).toMatchObject({ object: 'list' });
  const missing = await fetch(new Request('http://gateway.test/v1/nothing'));
  expect(missing.status).toBe(404);
  const head = await fetch(new Request('http://gateway.test/health/ready', { method: 'HEAD' }));
  expect([head.status, head.body]).toEqual([200, null]);
});

test.each([
  ['GET', '/v1/responses/resp_1?stream=false'],
  ['DELETE', '/v1/responses/resp_1?'],
  ['POST', '/v1/responses/resp_1/cancel?'],
  ['GET', '/v1/responses/resp_1/input_items?limit=2'],
])('it passes on a request about a stored response: %s %s', async (method, path) => {
  behaviour = 'whole';
  const { fetch } = mounted({}, { basePath: '/llm' });
  const answer = await fetch(new Request(`http://gateway.test/llm${path}`, { method, headers: HEADERS }));
  expect([answer.status, await answer.json()]).toEqual([200, { object: 'chat.completion' }]);
  expect(upstream.received.at(-1)).toMatchObject({ method, url: path.replace(/\?$/, '') });
});

test('it passes on that something is deleted, without a body', async () => {
  behaviour = 'empty';
  const { fetch } = mounted();
  const deletion = new Request('http://gateway.test/v1/responses/resp_1', {
    method: 'DELETE',
    headers: HEADERS,
  });
  const { status, body } = await fetch(deletion);
  expect([status, body]).toEqual([204, null]);
});

test('below a path, it is asked there', async () => {
  behaviour = 'whole';
  const { fetch } = mounted({}, { basePath: '/api/llm/' });
  const answer = await fetch(asking({}, {}, '/api/llm/v1/chat/completions'));
  expect(await answer.json()).toEqual({ object: 'chat.completion' });
  expect((await fetch(asking({}, {}, '/api/llmv1/chat/completions'))).status).toBe(404);
});

test('the environment is read only if it is given', async () => {
  behaviour = 'whole';
  const environment = { OPENAI_API_KEY: 'another-key', OPENAI_BASE_URL: `${upstream.url}/v1` };
  const { fetch } = mounted({ vendors: {} }, { environment });
  await (await fetch(asking())).body?.cancel();
  expect(upstream.received.at(-1)?.headers.authorization).toBe('Bearer another-key');
});

describe('a caller who leaves takes the vendor along', () => {
  test('before the answer, by its signal', async () => {
    behaviour = 'silent';
    const { fetch } = mounted();
    const controller = new AbortController();
    const closed = upstream.closed();
    const before = upstream.received.length;
    const answer = fetch(asking({}, { signal: controller.signal }));
    await expect.poll(() => upstream.received.length).toBe(before + 1);
    controller.abort();
    await closed;
    expect((await answer).status).toBe(499);
  });

  test('who has left already is not asked for', async () => {
    behaviour = 'silent';
    const { fetch } = mounted();
    const before = upstream.received.length;
    expect((await fetch(asking({}, { signal: AbortSignal.abort() }))).status).toBe(499);
    expect(upstream.received.length).toBe(before);
  });

  test.each(['native', 'translated'])(
    'during a %s answer, by its signal, and the part is not the whole',
    async (way) => {
      behaviour = 'endless';
      const { fetch } = mounted();
      const controller = new AbortController();
      const closed = upstream.closed();
      const path = way === 'native' ? '/v1/chat/completions' : '/v1/messages';
      const answer = await fetch(
        asking({ stream: true, max_tokens: 9 }, { signal: controller.signal }, path),
      );
      const reader = answer.body?.getReader();
      expect((await reader?.read())?.value?.byteLength).toBeGreaterThan(0);
      controller.abort();
      await closed;
      await expect(
        (async () => {
          while (!(await reader?.read())?.done);
        })(),
      ).rejects.toThrow();
    },
  );

  test('during the answer, by cancelling its stream', async () => {
    behaviour = 'endless';
    const { fetch } = mounted();
    const closed = upstream.closed();
    const answer = await fetch(asking({ stream: true }));
    await answer.body?.cancel();
    await closed;
  });
});

test('a consumer who stops reading pauses the vendor', async () => {
  behaviour = 'endless';
  const { fetch } = mounted();
  const answer = await fetch(asking({ stream: true }));
  const reader = answer.body?.getReader();
  await reader?.read();
  // What the sockets take fills up, and then nothing moves.
  let before = -1;
  while (before !== written) {
    before = written;
    await sleep(200);
  }
  expect(written).toBeLessThan(32 * 1024 * 1024);
  for (let at = 0; at < 2_000; at += 1) await reader?.read();
  await expect.poll(() => written).toBeGreaterThan(before);
  await reader?.cancel();
});

test('a body in pieces is read to its end, and one that breaks off is refused', async () => {
  behaviour = 'whole';
  const { fetch } = mounted();
  const text = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'x'.repeat(100_000) }] });
  const pieces = ReadableStream.from(text.match(/.{1,7000}/g)?.map((piece) => Buffer.from(piece)) ?? []);
  const answer = await fetch(asking({}, { body: pieces, duplex: 'half' }));
  expect(await answer.json()).toEqual({ object: 'chat.completion' });
  expect(String(upstream.received.at(-1)?.body)).toContain('x'.repeat(100_000));
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('{"model":'));
      controller.error(new Error('The connection was lost.'));
    },
  });
  const refused = await fetch(asking({}, { body: broken, duplex: 'half' }));
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining('before its body was complete'),
  ]);
});

test('a body that is too large is refused, and the rest of it is not read', async () => {
  const { fetch } = mounted({ limits: { bodyBytes: 100_000 } });
  let pulled = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulled += 1;
      controller.enqueue(Buffer.alloc(10_000, ' '));
    },
  });
  const refused = await fetch(asking({}, { body: endless, duplex: 'half' }));
  expect([refused.status, refused.headers.get('connection')]).toEqual([413, null]);
  await sleep(50);
  expect(pulled).toBeLessThan(30);
});

test('limits hold, and what an answer occupies is free after it', async () => {
  behaviour = 'endless';
  const limits = { concurrentRequests: 1 };
  const { fetch } = mounted({ keys: [{ name: 'test', key: KEY, limits }] });
  const first = await fetch(asking({ stream: true }));
  expect((await fetch(asking({ stream: true }))).status).toBe(429);
  await first.body?.cancel();
  const third = await fetch(asking({ stream: true }));
  expect(third.status).toBe(200);
  await third.body?.cancel();
});

test('closing ends what is still being answered, with the error of its format', async () => {
  behaviour = 'endless';
  const gateway = mounted();
  const answer = await gateway.fetch(asking({ stream: true }));
  const closing = gateway.close();
  const text = await answer.text();
  expect(text).toMatch(/data: \{"error":\{[^\n]*shutting down[^\n]*\n\n(?:data: \[DONE\]\n\n)?$/);
  await closing;
  expect((await gateway.fetch(asking())).status).toBe(503);
});

describe('a configuration', () => {
  test('that is not valid throws at once, and names the field', () => {
    expect(() => createGateway({ keys: [{ name: 'test', key: KEY }], retries: { limit: -1 } })).toThrow(
      /^The configuration is not valid: retries\.limit: /,
    );
    expect(() => createGateway({ vendors: { openai: { apiKey: 'k' } } })).toThrow(/keys: needs at least one/);
    expect(() => createGateway({ keys: [{ name: 'test', key: KEY }] }, { basePath: 'llm' })).toThrow(
      /basePath/,
    );
  });

  test('with a file that is missing fails each request, and is reported', async () => {
    const problems: string[] = [];
    const gateway = createGateway(
      { keys: [{ name: 'test', key: KEY }], vendors: { openai: { apiKeyFile: '/nowhere/key' } } },
      { onProblem: (problem) => void problems.push(problem) },
    );
    await expect(gateway.fetch(asking())).rejects.toThrow(/apiKeyFile: \/nowhere\/key cannot be read/);
    expect(problems).toEqual([expect.stringContaining('/nowhere/key cannot be read')]);
  });

  test('without keys of vendors has simulated ones, and that is reported', async () => {
    const problems: string[] = [];
    const gateway = mounted({ vendors: {} }, { onProblem: (problem) => void problems.push(problem) });
    const answer = await gateway.fetch(asking());
    expect(await answer.json()).toMatchObject({ object: 'chat.completion' });
    expect(problems).toEqual([expect.stringContaining('simulated')]);
  });
});

test('with a store, its keys are valid, and usage is recorded there and told to its caller', async () => {
  behaviour = 'whole';
  const directory = await mkdtemp(join(tmpdir(), 'mounted-'));
  try {
    const path = join(directory, 'gateway.db');
    const before = await openStore({ path });
    const made = await createKey(before, 'stored');
    await before.close();
    const gateway = createGateway({
      vendors: { openai: { apiKey: 'k', baseUrl: `${upstream.url}/v1` } },
      store: { path },
    });
    const headers = { ...HEADERS, authorization: `Bearer ${made?.key}` };
    expect(await (await gateway.fetch(asking({}, { headers }))).json()).toEqual({
      object: 'chat.completion',
    });
    const after = await openStore({ path });
    const rows = () => after.db.selectFrom('gateway_exchanges').selectAll().execute();
    // The thread that writes them has to start first.
    await expect.poll(rows).toMatchObject([{ key: 'stored', model: MODEL }]);
    const own = await gateway.fetch(new Request('http://gateway.test/v1/key', { headers }));
    expect(await own.json()).toMatchObject({ data: { label: 'stored', days: [{ requests: 1 }] } });
    await gateway.close();
    await after.close();
  } finally {
    await rm(directory, { recursive: true });
  }
});

test.each([{}, { openai: { apiKey: 'a-key-of-the-vendor' } }])(
  'it may be closed twice, at once and later (vendors %j)',
  async (vendors) => {
    const gateway = createGateway({ keys: [{ name: 'test', key: KEY }], vendors }, { onProblem: () => {} });
    await Promise.all([gateway.close(), gateway.close()]);
    await gateway.close();
  },
);
