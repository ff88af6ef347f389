/** The cache of answers: who gets one, when, and in which form. */

import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ConfigInput, configSchema } from '../../src/config/schema.ts';
import { answersInMemory, answersInRedis } from '../../src/pipeline/cache/answer-store.ts';
import { openGateway } from '../../src/server/open-gateway.ts';
import { bind } from '../../src/upstream/net/bind.ts';
import {
  ask,
  native,
  streamedAnswer,
  translated,
  type UpstreamWay,
  wholeAnswer,
} from '../faults/upstream-ways.ts';
import { type FaultUpstream, startFaultUpstream } from '../support/fault-upstream.ts';
import { KEY, startRecorded, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { soon } from '../support/soon.ts';

const OTHER = 'another-key-of-the-tests';

let upstream: FaultUpstream;
let gateway: Awaited<ReturnType<typeof startRecorded>>;
beforeEach(async () => {
  upstream = await startFaultUpstream();
});
afterEach(async () => {
  await gateway?.close();
  await upstream.close();
});

async function open(cache: ConfigInput['cache'], input: ConfigInput = {}): Promise<void> {
  gateway = await startRecorded({
    vendors: vendorsAtUrl(`http://127.0.0.1:${upstream.port}`),
    keys: [{ name: 'other', key: OTHER }],
    retries: { limit: 0 },
    ...(cache && { cache }),
    ...input,
  });
}

/** The vendor answers the next request in this way. */
function script(way: UpstreamWay, stream: boolean): void {
  upstream.script((wire) =>
    stream ? wire.wholeStream([streamedAnswer(way.spoken)]) : wire.answer(200, wholeAnswer(way.spoken)),
  );
}

async function asked(
  way: UpstreamWay,
  stream: boolean,
): Promise<{ cache: string | null; type: string; text: string }> {
  script(way, stream);
  const response = await ask(gateway.url, way, stream);
  expect(response.status).toBe(200);
  const { headers } = response;
  return {
    cache: headers.get('x-gateway-cache'),
    type: headers.get('content-type') ?? '',
    text: await response.text(),
  };
}

describe.each([...native, ...translated])('$name', (way) => {
  test.each([true, false])(
    'is answered once by the vendor, then from the cache (streamed first: %s)',
    async (stream) => {
      await open({ keys: ['test'] });
      const first = await asked(way, stream);
      const [again, other] = [await asked(way, stream), await asked(way, !stream)];
      expect([first.cache, again.cache, other.cache]).toEqual(['miss', 'hit', 'hit']);
      expect(upstream.requests).toHaveLength(1);
      // The same form as before; ids and times are those of the first answer, or of the exchange.
      const words = (text: string): readonly string[] =>
        text.match(/"(?:type|object|text|content|finish\w*)": ?"[^"]*"/gi) ?? [];
      expect(words(again.text)).toEqual(words(first.text));
      expect(again.type).toBe(first.type);
      expect(other.type.includes('event-stream')).toBe(!stream);
      expect(
        gateway.records.map(({ vendor, outcome, cost }) => [vendor === 'cache', outcome, cost === 0]),
      ).toEqual([
        [false, 'complete', false],
        [true, 'complete', true],
        [true, 'complete', true],
      ]);
    },
  );
});

test('an image is part of the request, however large it is', async () => {
  await open({ keys: ['test'] });
  const [spoken] = translated;
  if (spoken === undefined) throw new TypeError('There is no translated way.');
  const image = (data: string) => ({
    model: 'anthropic/claude-sonnet-4-5',
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }] },
    ],
  });
  const seen: (string | null)[] = [];
  for (const data of ['QUJD'.repeat(40_000), 'QUJD'.repeat(40_000), `${'QUJD'.repeat(39_999)}QUJE`]) {
    script({ ...spoken, spoken: 'messages' }, false);
    const response = await postJson(`${gateway.url}/v1/chat/completions`, image(data));
    seen.push(response.headers.get('x-gateway-cache'));
    await response.text();
  }
  expect(seen).toEqual(['miss', 'hit', 'miss']);
});

const [way] = native;
const BODY = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };

/** Asks chat-completions. @returns what the answer says of the cache. */
async function post(
  body: object = BODY,
  headers: Record<string, string> = {},
  key = KEY,
): Promise<string | null> {
  script(way, false);
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.headers.get('x-gateway-cache');
}

describe('who gets a kept answer', () => {
  test('nobody, unless the configuration has a cache', async () => {
    await open(undefined);
    expect([
      await post(BODY, { 'x-gateway-cache': 'true' }),
      await post(BODY, { 'x-gateway-cache': 'true' }),
    ]).toEqual([null, null]);
    expect(upstream.requests).toHaveLength(2);
  });

  test('a request that asks for it, of a key that is not listed', async () => {
    await open({});
    expect(await post()).toBeNull();
    const on = { 'x-gateway-cache': 'true' };
    expect([await post(BODY, on), await post(BODY, on)]).toEqual(['miss', 'hit']);
    expect(await post()).toBeNull();
  });

  test('never another key, unless they share', async () => {
    await open({ keys: ['test', 'other'] });
    expect([await post(), await post(BODY, {}, OTHER), await post(BODY, {}, OTHER)]).toEqual([
      'miss',
      'miss',
      'hit',
    ]);
    await gateway.close();
    await open({ keys: ['test', 'other'], shared: true });
    expect([await post(), await post(BODY, {}, OTHER)]).toEqual(['miss', 'hit']);
  });

  test('a key of a listed group', async () => {
    await open(
      { keys: ['search'] },
      { groups: [{ name: 'search' }], keys: [{ name: 'other', key: OTHER, group: 'search' }] },
    );
    expect([await post(BODY, {}, OTHER), await post(BODY, {}, OTHER), await post()]).toEqual([
      'miss',
      'hit',
      null,
    ]);
  });
});

test('what the cache answers in the sandbox stays simulated', async () => {
  gateway = await startRecorded({ cache: { keys: ['test'] } });
  const statuses = [await post(), await post()];
  expect(statuses).toEqual(['miss', 'hit']);
  expect(gateway.records.map(({ vendor, cost }) => [vendor, cost])).toEqual([
    ['sandbox', 0],
    ['sandbox', 0],
  ]);
});

test('cache-control is obeyed', async () => {
  await open({ keys: ['test'] });
  const control = (value: string) => post(BODY, { 'cache-control': value });
  expect(await control('no-store')).toBeNull();
  expect(await post()).toBe('miss');
  expect(await control('no-cache')).toBe('miss');
  expect(await control('max-age=0')).toBe('miss');
  expect(await control('max-age=600')).toBe('hit');
  expect(await post(BODY, { 'x-gateway-cache': 'false' })).toBeNull();
});

test('the header ignores case, and a value that it does not know is an error', async () => {
  await open({});
  const header = (value: string) => post(BODY, { 'x-gateway-cache': value });
  expect([await header('TRUE'), await header('On'), await header('False')]).toEqual(['miss', 'hit', null]);
  expect(await header('')).toBeNull();
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-gateway-cache': 'yes' },
    body: JSON.stringify(BODY),
  });
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('The header x-gateway-cache must be true or false.'),
  ]);
});

describe('which requests are the same', () => {
  test('those that mean the same in any format, whoever the end user is', async () => {
    await open({ keys: ['test'] });
    expect(await post({ ...BODY, max_tokens: 99, user: 'a' })).toBe('miss');
    const messages = {
      model: 'openai/gpt-4o',
      max_tokens: 99,
      messages: [{ role: 'user', content: 'Hello' }],
    };
    const response = await postJson(`${gateway.url}/v1/messages`, messages, { key: KEY });
    expect(response.headers.get('x-gateway-cache')).toBe('hit');
    expect(await response.json()).toMatchObject({ type: 'message', role: 'assistant' });
  });

  test.each<[string, object]>([
    ['another word', { ...BODY, messages: [{ role: 'user', content: 'hello' }] }],
    ['another model', { ...BODY, model: 'openai/gpt-4o-mini' }],
    ['another temperature', { ...BODY, temperature: 0.5 }],
    [
      'a tool',
      { ...BODY, tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] },
    ],
    ['a field that the gateway does not know', { ...BODY, unheard_of: 1 }],
  ])('not with %s', async (_, body) => {
    await open({ keys: ['test'] });
    expect([await post(), await post(body)]).toEqual(['miss', 'miss']);
  });
});

describe('which answers are kept', () => {
  test('none that failed or broke off', async () => {
    await open({ keys: ['test'] });
    const half = streamedAnswer(way.spoken).slice(0, 200);
    for (const status of [503, 400]) {
      upstream.script((wire) => wire.answer(status, '{"error":{"message":"no"}}'));
      await (await ask(gateway.url, way, false)).text();
    }
    upstream.script((wire) => wire.wholeStream([half]));
    await ask(gateway.url, way, true).then((one) => one.text().catch(() => ''));
    expect((await asked(way, false)).cache).toBe('miss');
  });

  test.each([
    ['chat-completions', 'content_filter', 'stop'],
    ['messages', 'refusal', 'end_turn'],
    ['messages', 'pause_turn', 'end_turn'],
    ['generate-content', 'SAFETY', 'STOP'],
    ['generate-content', 'MALFORMED_FUNCTION_CALL', 'STOP'],
  ])('none of %s that ends with %s', async (spoken, end, usual) => {
    await open({ keys: ['test'] });
    const one = native.find((each) => each.spoken === spoken) ?? way;
    const answer = wholeAnswer(one.spoken).replace(`"${usual}"`, `"${end}"`);
    expect(answer).toContain(end);
    upstream.script((wire) => wire.answer(200, answer));
    await (await ask(gateway.url, one, false)).text();
    expect((await asked(one, false)).cache).toBe('miss');
  });

  test.each([
    ['fallbacks', 503, '{"error":{"message":"busy"}}'],
    ['longPromptFallbacks', 400, '{"error":{"message":"no","code":"context_length_exceeded"}}'],
    ['contentPolicyFallbacks', 400, '{"error":{"message":"no","code":"content_filter"}}'],
  ])('none of a model of %s, which is another model', async (field, status, failure) => {
    await open(
      { keys: ['test'] },
      { [field]: { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5'] }, retries: { limit: 1 } },
    );
    upstream.script(
      (wire) => wire.answer(status, failure),
      (wire) => wire.answer(200, wholeAnswer('messages')),
    );
    const answer = await ask(gateway.url, way, false);
    expect([answer.status, answer.headers.get('x-gateway-model')]).toEqual([
      200,
      'anthropic/claude-sonnet-4-5',
    ]);
    await answer.text();
    expect((await asked(way, false)).cache).toBe('miss');
  });

  test('hooks see a kept answer too', async () => {
    await open(
      { keys: ['test'] },
      {
        hooks: {
          onReplyEvent: (event, out) =>
            out.enqueue(event.type === 'part-delta' ? { ...event, text: '[redacted]' } : event),
        },
      },
    );
    const [first, again] = [await asked(way, false), await asked(way, true)];
    expect([first.cache, again.cache]).toEqual(['miss', 'hit']);
    for (const { text } of [first, again]) expect(text).toContain('[redacted]');
  });
});

describe('in memory', () => {
  test('the answers that are used least give way, and old ones go', async () => {
    const store = answersInMemory(2_000);
    const text = 'x'.repeat(300);
    for (const name of ['a', 'b']) store.set(name, text, 60);
    await store.get('a');
    store.set('c', text, 60);
    expect([await store.get('a'), await store.get('b'), await store.get('c')]).toEqual([
      text,
      undefined,
      text,
    ]);
    store.set('a', text, 0);
    expect(await store.get('a')).toBeUndefined();
    store.set('large', 'x'.repeat(3_000), 60);
    expect(await store.get('large')).toBeUndefined();
    expect(await store.get('c'), 'what cannot be kept takes the room of nothing').toBe(text);
    store.set('d', text, 60);
    expect([await store.get('c'), await store.get('d')], 'nor does what is over').toEqual([text, text]);
  });
});

test('answers in memory outlive a reload, within the bound that it sets', async () => {
  const opened: Awaited<ReturnType<typeof openGateway>>[] = [];
  const reload = async (bytes: number) => {
    const config = configSchema.parse({ cache: { bytes } });
    const before = opened.at(-1)?.gateway;
    const next = await openGateway(config, {
      simulated: {},
      ...(before !== undefined && { previous: before }),
    });
    opened.push(next);
    return next.gateway.cache?.store;
  };
  const text = 'x'.repeat(300);
  const first = await reload(10_000);
  for (const name of ['a', 'b']) first?.set(name, text, 60);
  expect(await (await reload(5_000))?.get('a')).toBe(text);
  const smaller = await reload(1_000);
  expect([await smaller?.get('a'), await smaller?.get('b')]).toEqual([text, undefined]);
  for (const { close } of opened) await close();
});

test('a Redis that hangs is given up, and no longer waited for', async () => {
  const text = 'redis_version:7.0.0\r\nloading:0\r\n';
  const info = `$${text.length}\r\n${text}\r\n`;
  let hangs = false;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const commands = hangs ? [] : data.toString().split(/(?=\*\d+\r\n)/);
      for (const command of commands) socket.write(/\r\ninfo\r\n/i.test(command) ? info : '$3\r\nyes\r\n');
    });
  });
  const port = await bind(server, { host: '127.0.0.1', port: 0 });
  const told: string[] = [];
  const store = await answersInRedis(`redis://127.0.0.1:${port}`, (sentence) => void told.push(sentence));
  await soon(async () => expect(await store.get('a')).toBe('yes'));
  hangs = true;
  expect(await store.get('a')).toBeUndefined();
  await soon(() => expect(told).toHaveLength(1));
  // Whatever waits for a time limit now waits for ever.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  for (let at = 0; at < 10; at += 1) expect(await store.get('a')).toBeUndefined();
  vi.useRealTimers();
  store.close();
  server.close();
});

describe.runIf(hasRedis())('in Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  test('processes share it, and without it every answer is the vendor’s', async () => {
    await open({ keys: ['test'], store: 'redis' }, { redis: { url: redis.url } });
    expect(await post()).toBe('miss');
    await gateway.close();
    await open({ keys: ['test'], store: 'redis' }, { redis: { url: redis.url } });
    expect(await post()).toBe('hit');
    const told: string[] = [];
    const away = await answersInRedis('redis://127.0.0.1:1', (sentence) => void told.push(sentence));
    away.set('a', 'b', 60);
    expect(await away.get('a')).toBeUndefined();
    away.close();
    expect(told).toEqual([expect.stringMatching(/^Redis cannot be reached .*so no answers are cached\.$/)]);
  });

  test('that it is away is reported, and that it is back', async () => {
    const told: string[] = [];
    await redis.stop();
    const store = await answersInRedis(redis.url, (sentence) => void told.push(sentence));
    await redis.start();
    await soon(async () => {
      store.set('a', 'b', 60);
      expect(await store.get('a')).toBe('b');
    });
    store.close();
    expect(told).toEqual([
      expect.stringMatching(/^Redis cannot be reached /),
      'Redis can be reached again, so answers are cached again.',
    ]);
  });

  test('that it is a replica is reported, and its name is asked for the primary again', async () => {
    const told: string[] = [];
    const admin = new Redis(redis.url);
    const store = await answersInRedis(redis.url, (sentence) => void told.push(sentence));
    const id = async (): Promise<string | undefined> =>
      /id=(\d+) .*cmd=(?!client)/.exec(String(await admin.client('LIST')))?.[1];
    const before = await id();
    expect(before).toBeDefined();
    await admin.call('REPLICAOF', '127.0.0.1', '1');
    for (let at = 0; at < 3; at += 1) store.set('a', 'b', 60);
    await soon(async () => expect(await id()).toMatch(/\d/));
    await soon(async () => expect(await id()).not.toBe(before));
    await admin.call('REPLICAOF', 'NO', 'ONE');
    await soon(async () => {
      store.set('a', 'b', 60);
      expect(await store.get('a')).toBe('b');
    });
    expect(told).toEqual([
      expect.stringMatching(/^Redis refuses a command that the cache needs \(READONLY .*\)\.$/),
    ]);
    store.close();
    admin.disconnect();
  });
});
