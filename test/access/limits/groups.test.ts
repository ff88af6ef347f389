/** Groups of keys: limits that all keys of a group share, in addition to their own. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Budget } from '../../../src/access/limits/budgets.ts';
import { type LimitState, tighter } from '../../../src/access/limits/limit-headers.ts';
import { limitsInMemory } from '../../../src/access/limits/open-limits.ts';
import { charging } from '../../../src/accounting/usage/consumption.ts';
import { recording } from '../../../src/accounting/usage/make-record.ts';
import { type ConfigInput, configSchema } from '../../../src/config/schema.ts';
import type { FormatName } from '../../../src/conversation/prompt.ts';
import type { KeyLimits } from '../../../src/store/keys/key-limits.ts';
import { KEY, startGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { soon } from '../../support/soon.ts';
import { useStoppedClock } from '../../support/stopped-clock.ts';
import {
  ask,
  FORMATS,
  RATE_LIMITED,
  serveSharing,
  startVendor,
  statusOf,
  type TestVendor,
} from './support.ts';

const ONE = 'gw-test-key-of-the-group';
const TWO = 'gw-test-key-of-the-group-too';
const OTHER = 'gw-test-key-of-another-group';

let vendor: TestVendor;
const clock = useStoppedClock();
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  // No window ends during a test, however long a busy machine takes.
  clock.stop();
  vendor = await startVendor();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await vendor.close();
});

/**
 * Two keys of a group, the first one with limits of its own, and one key of another group with the same
 * limits.
 */
function configOf(group: KeyLimits, own: KeyLimits, models?: string[]): ConfigInput {
  return {
    vendors: vendorsAtUrl(vendor.url),
    groups: [
      { name: 'search', limits: group, ...(models && { models }) },
      { name: 'ads', limits: group },
    ],
    keys: [
      { name: 'one', key: ONE, group: 'search', limits: own },
      { name: 'two', key: TWO, group: 'search' },
      { name: 'other', key: OTHER, group: 'ads' },
    ],
  };
}

async function serveGroup(group: KeyLimits, own: KeyLimits = {}, models?: string[]): Promise<string> {
  const counted = limitsInMemory();
  const gateway = await startGateway(configOf(group, own, models), undefined, (opened) => ({
    ...opened,
    limits: counted,
    record: recording(charging(counted.charge)),
  }));
  closing.push(gateway.close);
  return gateway.url;
}

test.each(FORMATS)(
  'requests a minute are shared by all its keys: a 429 in the format of %s',
  async (format) => {
    const url = await serveGroup({ requestsPerMinute: 2 });
    expect(await statusOf(ask(url, ONE))).toBe(200);
    expect(await statusOf(ask(url, TWO))).toBe(200);
    for (const key of [ONE, TWO]) {
      const refused = await ask(url, key, format);
      expect(refused.status).toBe(429);
      const body: object = JSON.parse(await refused.text());
      expect(body).toMatchObject(RATE_LIMITED[format]);
      expect(JSON.stringify(body)).toContain(
        'Rate limit reached: the group search of this API key is limited to 2 requests per minute.',
      );
      expect(refused.headers.get('retry-after')).toBe('60');
      expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('2');
      expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
      if (format === 'messages')
        expect(refused.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0');
    }
    expect(vendor.received).toHaveLength(2);
    // Neither another group nor a key without a group is affected.
    expect(await statusOf(ask(url, OTHER))).toBe(200);
    expect(await statusOf(ask(url, KEY))).toBe(200);
  },
);

test('of the limits of the key and its group, the tighter one is reported', async () => {
  const url = await serveGroup(
    { requestsPerMinute: 3, tokensPerMinute: 9_000 },
    { requestsPerMinute: 2, tokensPerMinute: 10_000 },
  );
  const told = async (key: string) => {
    const { headers, status } = await ask(url, key);
    const of = (name: string) => headers.get(`x-ratelimit-${name}`);
    return [status, of('limit-requests'), of('remaining-requests'), of('limit-tokens')];
  };
  vendor.takes(0, 0);
  expect(await told(TWO)).toEqual([200, '3', '2', '9000']);
  // Both have one request left, and the window of the key ends later.
  clock.advance(1_000);
  expect(await told(ONE)).toEqual([200, '2', '1', '9000']);
  expect(await told(TWO)).toEqual([200, '3', '0', '9000']);
  expect(await told(ONE)).toEqual([429, '3', '0', '9000']);
  // The request that the group rejected still counted for the key.
  const refused = await ask(url, ONE);
  expect(await refused.text()).toContain('this API key is limited to 2 requests per minute');
});

test('requests beyond a key’s own limits do not count for its group', async () => {
  const url = await serveGroup(
    { requestsPerMinute: 3, concurrentRequests: 2 },
    { requestsPerMinute: 2, concurrentRequests: 1 },
  );
  const release = vendor.hold();
  const running = statusOf(ask(url, ONE));
  await soon(() => expect(vendor.received).toHaveLength(1));
  for (let count = 0; count < 5; count += 1) expect(await statusOf(ask(url, ONE))).toBe(429);
  const others = [statusOf(ask(url, TWO))];
  await soon(() => expect(vendor.received).toHaveLength(2));
  release();
  expect(await Promise.all([running, ...others])).toEqual([200, 200]);
  expect(await statusOf(ask(url, TWO))).toBe(200);
  expect(await statusOf(ask(url, TWO))).toBe(429);
});

test('concurrent requests are shared by all its keys, until one ends', async () => {
  const url = await serveGroup({ concurrentRequests: 2 }, { concurrentRequests: 4 });
  const release = vendor.hold();
  const running = [statusOf(ask(url, ONE)), statusOf(ask(url, TWO))];
  await soon(() => expect(vendor.received).toHaveLength(2));
  for (let count = 0; count < 3; count += 1) {
    const refused = await ask(url, ONE);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.text()).toContain(
      'the group search of this API key is limited to 2 requests at a time.',
    );
  }
  expect(await statusOf(ask(url, TWO))).toBe(429);
  release();
  expect(await Promise.all(running)).toEqual([200, 200]);
  // The rejection by the group gave the key's slot back.
  await soon(async () =>
    expect(await Promise.all([statusOf(ask(url, ONE)), statusOf(ask(url, ONE))])).toEqual([200, 200]),
  );
});

test('tokens used by one key count for the other', async () => {
  const url = await serveGroup({ tokensPerMinute: 50 });
  vendor.takes(40, 10);
  expect(await statusOf(ask(url, ONE))).toBe(200);
  vendor.takes(0, 0);
  await soon(async () => {
    const refused = await ask(url, TWO);
    expect(await refused.text()).toContain(
      'the group search of this API key is limited to 50 tokens per minute',
    );
  });
  expect(await statusOf(ask(url, OTHER))).toBe(200);
});

const QUOTA: Readonly<Record<FormatName, object>> = {
  'chat-completions': { error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
  responses: { error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
  messages: { type: 'error' },
  'generate-content': { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
};

test.each(FORMATS)('a budget is shared by all its keys: a rejection in the format of %s', async (format) => {
  const url = await serveGroup({ budgetMonth: 2 }, { budgetMonth: 100 });
  vendor.takes(500_000, 0);
  expect(await statusOf(ask(url, ONE))).toBe(200);
  expect(await statusOf(ask(url, TWO))).toBe(200);
  await soon(async () => {
    const refused = await ask(url, TWO, format);
    expect(refused.status).toBe(429);
    const body: object = JSON.parse(await refused.text());
    expect(body).toMatchObject(QUOTA[format]);
    expect(JSON.stringify(body)).toContain(
      'The group search of this API key has used up its budget for this month. It renews at the start of the next one (UTC).',
    );
    expect(refused.headers.get('x-should-retry')).toBe('false');
  });
  expect(await statusOf(ask(url, OTHER, format))).not.toBe(429);
});

test('the rest of its budget is reported along with those of keys', async () => {
  const limits = limitsInMemory();
  const gateway = await startGateway(configOf({ budgetDay: 5 }, { budgetDay: 3 }), undefined, (opened) => ({
    ...opened,
    limits,
    record: recording(charging(limits.charge)),
  }));
  closing.push(gateway.close);
  vendor.takes(500_000, 0);
  for (const key of [ONE, TWO]) expect(await statusOf(ask(gateway.url, key))).toBe(200);
  const budgets: readonly Budget[] = [
    { of: 'key', name: 'one', period: 'day', budget: 3, left: 2, reserved: 0 },
    { of: 'group', name: 'search', period: 'day', budget: 5, left: 3, reserved: 0 },
  ];
  await soon(() => expect(limits.budgets()).toEqual(budgets));
});

test('keys of a group cannot use models that the group leaves out', async () => {
  const url = await serveGroup({}, {}, ['google/*']);
  for (const key of [ONE, TWO]) {
    const refused = await ask(url, key);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('This API key may not use the model openai/gpt-4.1.');
    const listed = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    const { data }: { data: { id: string }[] } = JSON.parse(await listed.text());
    expect(new Set(data.map(({ id }) => id.split('/')[0]))).toEqual(new Set(['google']));
  }
  expect(await statusOf(ask(url, OTHER))).toBe(200);
});

test('the usage of a stream is requested only if the group counts it', async () => {
  const asked = async (url: string, key: string): Promise<unknown> => {
    vendor.received.length = 0;
    const response = await postJson(
      `${url}/v1/chat/completions`,
      '{"model":"gpt-4.1","stream":true,"messages":[{"role":"user","content":"Is it?"}]}',
      { key },
    );
    await response.text();
    return JSON.parse(String(vendor.received[0]?.body)).stream_options?.include_usage;
  };
  const metered = await serveGroup({ budgetDay: 5 });
  expect(await asked(metered, TWO)).toBe(true);
  expect(await asked(metered, KEY)).toBeUndefined();
  expect(await asked(await serveGroup({ requestsPerMinute: 5 }), TWO)).toBeUndefined();
});

test.each<[LimitState | undefined, LimitState | undefined, 'one' | 'other' | undefined]>([
  [undefined, undefined, undefined],
  [{ limit: 5, used: 1, left: 1 }, undefined, 'one'],
  [undefined, { limit: 5, used: 1, left: 1 }, 'other'],
  [{ limit: 5, used: 1, left: 1 }, { limit: 4, used: 1, left: 1 }, 'other'],
  [{ limit: 5, used: 3, left: 1 }, { limit: 4, used: 1, left: 1 }, 'one'],
  // Both are used up: the caller must wait for the one whose window ends later.
  [{ limit: 5, used: 7, left: 9 }, { limit: 4, used: 40, left: 1 }, 'one'],
  [{ limit: 5, used: 7, left: 1 }, { limit: 4, used: 4, left: 9 }, 'other'],
])('of %j and %j the tighter one is %s', (one, other, expected) => {
  expect(tighter(one, other)).toBe(expected && { one, other }[expected]);
});

describe.skipIf(!hasRedis())('with Redis', () => {
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.close());

  async function another(group: KeyLimits, own: KeyLimits = {}): Promise<string> {
    const config = configSchema.parse({ port: 0, ...configOf(group, own) });
    const { url, close } = await serveSharing(config, { redisUrl: redis.url });
    closing.push(close);
    return url;
  }

  test('two gateways share its request limit, and a key also has its own', async () => {
    const both = { requestsPerMinute: 4 };
    const [here, there] = [
      await another(both, { requestsPerMinute: 1 }),
      await another(both, { requestsPerMinute: 1 }),
    ];
    expect(await statusOf(ask(here, ONE))).toBe(200);
    for (const url of [here, there, here]) expect(await statusOf(ask(url, ONE))).toBe(429);
    for (const url of [there, here, there]) expect(await statusOf(ask(url, TWO))).toBe(200);
    const refused = await ask(here, TWO);
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(await refused.text()).toContain('the group search of this API key is limited to 4 requests');
    expect(await statusOf(ask(there, OTHER))).toBe(200);
  });

  test('two gateways share its concurrency limit and its budget', async () => {
    const both = { concurrentRequests: 1, budgetDay: 1 };
    const [here, there] = [await another(both, both), await another(both, both)];
    const release = vendor.hold();
    const running = statusOf(ask(here, ONE));
    await soon(() => expect(vendor.received).toHaveLength(1));
    expect(await statusOf(ask(there, TWO))).toBe(429);
    vendor.takes(250_000, 0);
    release();
    expect(await running).toBe(200);
    await soon(async () => expect(await statusOf(ask(there, TWO))).toBe(200));
    vendor.takes(0, 0);
    await soon(async () => {
      const refused = await ask(here, TWO);
      expect(await refused.text()).toContain('The group search of this API key has used up its budget');
    });
  });

  test('a key and a group with the same name are separate', async () => {
    const config = configSchema.parse({
      port: 0,
      vendors: vendorsAtUrl(vendor.url),
      groups: [{ name: 'search', limits: { requestsPerMinute: 3 } }],
      keys: [
        { name: 'search', key: ONE, group: 'search', limits: { requestsPerMinute: 2 } },
        { name: 'two', key: TWO, group: 'search' },
      ],
    });
    const { url, close } = await serveSharing(config, { redisUrl: redis.url });
    closing.push(close);
    const statuses: number[] = [];
    for (const key of [ONE, ONE, ONE, TWO, TWO]) statuses.push(await statusOf(ask(url, key)));
    expect(statuses).toEqual([200, 200, 429, 200, 429]);
  });
});
