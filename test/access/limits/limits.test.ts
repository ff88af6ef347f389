/**
 * Keys with limits of every kind, through a running gateway: the errors that callers receive, and that other
 * keys are unaffected.
 */

import OpenAI, { RateLimitError } from 'openai';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limitsInMemory, openLimits } from '../../../src/access/limits/open-limits.ts';
import { charging } from '../../../src/accounting/usage/consumption.ts';
import { recording } from '../../../src/accounting/usage/make-record.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import type { FormatName } from '../../../src/conversation/prompt.ts';
import type { KeyLimits } from '../../../src/store/keys/key-limits.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { soon } from '../../support/soon.ts';
import { useStoppedClock } from '../../support/stopped-clock.ts';
import { ask, FORMATS, RATE_LIMITED, startVendor, statusOf, type TestVendor } from './support.ts';

const LIMITED = 'gw-test-key-with-limits';

let vendor: TestVendor;
let gateway: TestGateway | undefined;
const clock = useStoppedClock();

beforeEach(async () => {
  // No window ends during a test, however long a busy machine takes.
  clock.stop();
  vendor = await startVendor();
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await vendor.close();
});

/** A gateway with a key that has these limits. */
async function serve(
  limits: KeyLimits,
  {
    now = Date.now,
    keys = [] as NonNullable<ConfigInput['keys']>,
    models = [] as NonNullable<ConfigInput['models']>,
  } = {},
): Promise<string> {
  const counted = limitsInMemory({ now });
  const own = { name: 'limited', key: LIMITED, limits };
  gateway = await startGateway(
    { vendors: vendorsAtUrl(vendor.url), models, keys: [own, ...keys] },
    undefined,
    (opened) => ({ ...opened, limits: counted, record: recording(charging(counted.charge)) }),
  );
  return gateway.url;
}

test.each(FORMATS)('requests a minute: a 429 in the format of %s', async (format) => {
  const url = await serve({ requestsPerMinute: 2 });
  expect(await statusOf(ask(url, LIMITED))).toBe(200);
  expect(await statusOf(ask(url, LIMITED))).toBe(200);
  const refused = await ask(url, LIMITED, format);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject(RATE_LIMITED[format]);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(refused.headers.get('x-should-retry')).toBeNull();
  expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('2');
  expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
  expect(refused.headers.get('x-ratelimit-reset-requests')).toBe(`${refused.headers.get('retry-after')}s`);
  const reset = refused.headers.get('anthropic-ratelimit-requests-reset');
  if (format === 'messages') {
    expect(refused.headers.get('anthropic-ratelimit-requests-limit')).toBe('2');
    expect(refused.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0');
    expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
    expect(Date.parse(reset ?? '')).toBeGreaterThan(Date.now());
  } else {
    expect(reset).toBeNull();
  }
  expect(vendor.received).toHaveLength(2);
  expect(await statusOf(ask(url, KEY))).toBe(200);
});

// docs/keys.md, "What counts".
test('every request with the key counts as one a minute, whatever its answer; lists and /v1/key do not', async () => {
  const key = 'gw-test-key-for-one-vendor';
  const restricted = { name: 'restricted', key, models: ['openai/*'], limits: { requestsPerMinute: 4 } };
  const url = await serve({}, { keys: [restricted] });
  const authorization = `Bearer ${key}`;
  const post = async (body: unknown): Promise<number> =>
    (await postJson(`${url}/v1/chat/completions`, body, { key })).status;
  const messages = [{ role: 'user', content: 'Hello.' }];
  expect(await post('{')).toBe(400);
  expect(await post({ model: 'openai/no-such-model', messages })).toBe(404);
  expect(await post({ model: 'anthropic/claude-sonnet-5-5', messages })).toBe(403);
  for (const path of ['/v1/models', '/v1/key'])
    expect((await fetch(url + path, { headers: { authorization } })).status).toBe(200);
  const last = await ask(url, key);
  expect(last.headers.get('x-ratelimit-remaining-requests')).toBe('0');
  expect(await statusOf(ask(url, key))).toBe(429);
  // Requests that are refused by the limit go on counting.
  expect(await statusOf(ask(url, key))).toBe(429);
});

test('the remaining amount is reported with every answer to a limited key, and to no other', async () => {
  const url = await serve({ requestsPerMinute: 5, tokensPerMinute: 1_000 });
  const native = await ask(url, LIMITED);
  expect(native.status).toBe(200);
  expect(native.headers.get('x-ratelimit-remaining-requests')).toBe('4');
  expect(native.headers.get('x-ratelimit-limit-tokens')).toBe('1000');
  expect(native.headers.get('x-ratelimit-remaining-tokens')).toBe('1000');
  const translated = await ask(url, LIMITED, 'messages');
  expect(translated.status).toBe(200);
  expect(translated.headers.get('anthropic-ratelimit-requests-remaining')).toBe('3');
  const free = await ask(url, KEY);
  expect(free.headers.get('x-ratelimit-remaining-requests')).toBeNull();
});

describe.each(['chat-completions', 'responses', 'messages'] as const)('%s', (format) => {
  const ofVendor = {
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-remaining-requests': '499',
    'x-ratelimit-limit-tokens': '30000',
    'x-ratelimit-remaining-tokens': '0',
    'anthropic-ratelimit-input-tokens-remaining': '7',
  };

  test('the remaining amount is reported with an error of the vendor, too', async () => {
    const url = await serve({ requestsPerMinute: 5 });
    vendor.tells(ofVendor);
    for (const [status, left] of [
      [400, '4'],
      [429, '3'],
    ] as const) {
      vendor.refuses(status);
      const refused = await ask(url, LIMITED, format);
      await refused.arrayBuffer();
      expect(refused.status).toBe(status);
      expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('5');
      expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe(left);
    }
  });

  test('the vendor’s own rate limit headers pass through, except those that the key’s limits set', async () => {
    const url = await serve({ requestsPerMinute: 5 });
    vendor.tells(ofVendor);
    for (const status of [200, 400, 429]) {
      if (status !== 200) vendor.refuses(status);
      const free = await ask(url, KEY, format);
      await free.arrayBuffer();
      expect(free.status).toBe(status);
      expect(Object.fromEntries(free.headers)).toMatchObject(ofVendor);
      const limited = await ask(url, LIMITED, format);
      await limited.arrayBuffer();
      expect(limited.headers.get('x-ratelimit-limit-requests')).toBe('5');
      expect(limited.headers.get('x-ratelimit-limit-tokens')).toBe('30000');
    }
  });
});

test('whether to retry is the vendor’s decision, whatever format its error is translated to', async () => {
  const url = await serve({});
  vendor.refuses(429);
  for (const said of ['true', 'false']) {
    vendor.tells({ 'x-should-retry': said });
    for (const format of FORMATS.slice(0, 3)) {
      const refused = await ask(url, KEY, format);
      await refused.arrayBuffer();
      expect(refused.headers.get('x-should-retry'), format).toBe(said);
    }
  }
});

test('a rejection of the gateway’s own account reveals nothing about it', async () => {
  const url = await serve({ requestsPerMinute: 5 });
  vendor.refuses(401);
  vendor.tells({ 'x-ratelimit-limit-requests': '500', 'x-should-retry': 'true' });
  for (const format of FORMATS.slice(0, 3)) {
    const refused = await ask(url, KEY, format);
    await refused.arrayBuffer();
    expect(refused.status).toBe(502);
    expect(refused.headers.get('x-ratelimit-limit-requests')).toBeNull();
    expect(refused.headers.get('x-should-retry')).toBe('false');
    const limited = await ask(url, LIMITED, format);
    await limited.arrayBuffer();
    expect(limited.headers.get('x-ratelimit-limit-requests')).toBe('5');
  }
});

test('the official SDK of OpenAI sees a RateLimitError, with its headers', async () => {
  const url = await serve({ requestsPerMinute: 1 });
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: LIMITED, maxRetries: 0 });
  const create = () =>
    client.chat.completions.create({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'Is it?' }] });
  await expect(create()).resolves.toMatchObject({ object: 'chat.completion' });
  const error = await create().catch((thrown: unknown) => thrown);
  if (!(error instanceof RateLimitError)) throw new TypeError('It is no RateLimitError.');
  expect(error.code).toBe('rate_limit_exceeded');
  expect(error.headers.get('x-ratelimit-remaining-requests')).toBe('0');
});

test('the limits of one key do not affect another key', async () => {
  const other = 'gw-test-key-of-another';
  const keys = [{ name: 'other', key: other, limits: { requestsPerMinute: 1 } }];
  const url = await serve({ requestsPerMinute: 1 }, { keys });
  expect(await statusOf(ask(url, LIMITED))).toBe(200);
  expect(await statusOf(ask(url, LIMITED))).toBe(429);
  expect(await statusOf(ask(url, other))).toBe(200);
  expect(await statusOf(ask(url, other))).toBe(429);
});

test('a new window has the full limit again', async () => {
  const url = await serve({ requestsPerMinute: 1 });
  expect(await statusOf(ask(url, LIMITED))).toBe(200);
  expect(await statusOf(ask(url, LIMITED))).toBe(429);
  clock.advance(59_999);
  expect(await statusOf(ask(url, LIMITED))).toBe(429);
  clock.advance(1);
  expect(await statusOf(ask(url, LIMITED))).toBe(200);
  expect(await statusOf(ask(url, LIMITED))).toBe(429);
});

test('tokens a minute: requests are rejected once an answer has used them up', async () => {
  const url = await serve({ tokensPerMinute: 100 });
  vendor.takes(30, 20);
  expect(await statusOf(ask(url, LIMITED))).toBe(200);
  await soon(async () => {
    const response = await ask(url, LIMITED);
    await response.arrayBuffer();
    expect(response.status).toBe(429);
    expect(response.headers.get('x-ratelimit-remaining-tokens')).toBe('0');
    expect(response.headers.get('x-ratelimit-limit-requests')).toBeNull();
  });
  // Twice fifty; the third request may have begun before the second was charged.
  expect(vendor.received.length).toBeLessThanOrEqual(3);
  expect(await statusOf(ask(url, KEY))).toBe(200);
});

test('free tokens count as tokens, and fees without tokens count as money', async () => {
  const free = {
    id: 'openai/gpt-4.1',
    name: 'One of the house',
    created: 0,
    contextWindow: 1_000_000,
    maxOutputTokens: 8_192,
    prices: { input: 0, output: 0 },
  };
  const keys = [{ name: 'paid', key: `${LIMITED}-paid`, limits: { budgetDay: 1 } }];
  const url = await serve({ tokensPerMinute: 50 }, { models: [free], keys });
  vendor.takes(40, 10);
  expect(await statusOf(ask(url, LIMITED))).toBe(200);
  await soon(async () => expect(await statusOf(ask(url, LIMITED))).toBe(429));
  // As a router bills its searches.
  vendor.takes(0, 0, 2);
  expect(await statusOf(ask(url, `${LIMITED}-paid`))).toBe(200);
  await soon(async () => expect(await statusOf(ask(url, `${LIMITED}-paid`))).toBe(429));
});

test('concurrent requests: one more is rejected until one ends', async () => {
  const url = await serve({ concurrentRequests: 2 });
  const release = vendor.hold();
  const running = [statusOf(ask(url, LIMITED)), statusOf(ask(url, LIMITED))];
  await soon(() => expect(vendor.received).toHaveLength(2));
  const refused = await ask(url, LIMITED);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject(RATE_LIMITED['chat-completions']);
  release();
  expect(await Promise.all(running)).toEqual([200, 200]);
  await soon(async () => expect(await statusOf(ask(url, LIMITED))).toBe(200));
});

test('a caller who disconnects frees the slot', async () => {
  const url = await serve({ concurrentRequests: 1 });
  const release = vendor.hold();
  const leaving = new AbortController();
  const left = ask(url, LIMITED, 'chat-completions', leaving.signal);
  await soon(() => expect(vendor.received).toHaveLength(1));
  leaving.abort();
  await expect(left).rejects.toThrow();
  release();
  await soon(async () => expect(await statusOf(ask(url, LIMITED))).toBe(200));
});

const QUOTA: Readonly<Record<FormatName, object>> = {
  'chat-completions': { error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
  responses: { error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
  messages: { type: 'error' },
  'generate-content': { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
};

test('a daily budget: one large answer uses it up, and it is there again the next day', async () => {
  let time = Date.parse('2026-03-31T23:00:00Z');
  // Requests are charged by the clock of the process.
  const charged = vi.spyOn(Date, 'now').mockImplementation(() => time);
  try {
    const url = await serve({ budgetDay: 1 }, { now: () => time });
    vendor.takes(1_000_000, 0);
    expect(await statusOf(ask(url, LIMITED))).toBe(200);
    for (const format of FORMATS) {
      const refused = await soon(async () => {
        const response = await ask(url, LIMITED, format);
        const body: unknown = await response.json();
        expect(response.status).toBe(429);
        return { headers: response.headers, body };
      });
      expect(refused.body).toMatchObject(QUOTA[format]);
      expect(refused.headers.get('retry-after')).toBe('3600');
      // Official SDKs must not retry within seconds.
      expect(refused.headers.get('x-should-retry')).toBe('false');
    }
    expect(await statusOf(ask(url, KEY))).toBe(200);
    // The new day has its own budget, and no more than that.
    time += 3_600_000;
    expect(await statusOf(ask(url, LIMITED))).toBe(200);
    await soon(async () => expect(await statusOf(ask(url, LIMITED))).toBe(429));
  } finally {
    charged.mockRestore();
  }
});

test('a monthly budget spans its days', async () => {
  let time = Date.parse('2026-02-10T12:00:00Z');
  const charged = vi.spyOn(Date, 'now').mockImplementation(() => time);
  try {
    const url = await serve({ budgetMonth: 1 }, { now: () => time });
    vendor.takes(1_000_000, 0);
    expect(await statusOf(ask(url, LIMITED))).toBe(200);
    await soon(async () => expect(await statusOf(ask(url, LIMITED))).toBe(429));
    time = Date.parse('2026-02-28T23:59:59Z');
    const refused = await ask(url, LIMITED);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    await refused.arrayBuffer();
    time = Date.parse('2026-03-01T00:00:00Z');
    expect(await statusOf(ask(url, LIMITED))).toBe(200);
    await soon(async () => expect(await statusOf(ask(url, LIMITED))).toBe(429));
  } finally {
    charged.mockRestore();
  }
});

test.each([{ budgetDay: 0 }, { budgetMonth: 0 }])('a budget of zero allows nothing: %j', async (limits) => {
  const url = await serve(limits);
  expect(await statusOf(ask(url, LIMITED))).toBe(429);
  expect(vendor.received).toHaveLength(0);
});

test('limits of keys in the configuration apply without further settings', async () => {
  gateway = await startGateway({
    vendors: vendorsAtUrl(vendor.url),
    keys: [{ name: 'limited', key: LIMITED, limits: { requestsPerMinute: 1, tokensPerMinute: 5 } }],
  });
  expect(await statusOf(ask(gateway.url, LIMITED))).toBe(200);
  expect(await statusOf(ask(gateway.url, LIMITED))).toBe(429);
});

test('without Redis, workers split every limit evenly, except money', async () => {
  const counted = await openLimits({ workers: 4 });
  const keys = [
    { name: 'many', key: `${LIMITED}-many`, limits: { requestsPerMinute: 6 } },
    { name: 'at-once', key: `${LIMITED}-at-once`, limits: { concurrentRequests: 4 } },
    { name: 'money', key: `${LIMITED}-money`, limits: { budgetDay: 100 } },
  ];
  gateway = await startGateway({ vendors: vendorsAtUrl(vendor.url), keys }, 'chained', (opened) => ({
    ...opened,
    limits: counted,
    record: recording(charging(counted.charge)),
  }));
  const { url } = gateway;
  expect(await statusOf(ask(url, `${LIMITED}-many`))).toBe(200);
  expect(await statusOf(ask(url, `${LIMITED}-many`))).toBe(200);
  expect(await statusOf(ask(url, `${LIMITED}-many`))).toBe(429);
  const release = vendor.hold();
  const running = statusOf(ask(url, `${LIMITED}-at-once`));
  await soon(() => expect(vendor.received).toHaveLength(3));
  expect(await statusOf(ask(url, `${LIMITED}-at-once`))).toBe(429);
  release();
  expect(await running).toBe(200);
  // Forty dollars each: the third request uses the budget up.
  vendor.takes(20_000_000, 0);
  let answers = 0;
  await soon(async () => {
    const status = await statusOf(ask(url, `${LIMITED}-money`));
    if (status === 200) answers += 1;
    expect(status).toBe(429);
  });
  expect(answers).toBeGreaterThanOrEqual(3);
  await counted.close();
});
