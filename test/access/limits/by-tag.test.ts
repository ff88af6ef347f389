/** Limits for each tag or end user of a key, through a running gateway, and what the store knows of their spending. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limitsInMemory, openLimits } from '../../../src/access/limits/open-limits.ts';
import { storedTagSpending } from '../../../src/access/limits/stored-tags.ts';
import { OTHER_TAGS, openTagBound } from '../../../src/access/limits/tag-bound.ts';
import { charging } from '../../../src/accounting/usage/consumption.ts';
import type { ExchangeRecord } from '../../../src/accounting/usage/exchange-record.ts';
import { recording } from '../../../src/accounting/usage/make-record.ts';
import { writeUsage } from '../../../src/accounting/usage/write-usage.ts';
import type { KeyLimits } from '../../../src/store/keys/key-limits.ts';
import { exchange, rowOf } from '../../accounting/usage/records.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { soon } from '../../support/soon.ts';
import { useStoppedClock } from '../../support/stopped-clock.ts';
import { describeStores } from '../../support/stores.ts';
import { json, startUpstream } from '../../support/upstream.ts';
import { RATE_LIMITED, startVendor, type TestVendor } from './support.ts';

const LIMITED = 'gw-test-key-with-tags';
const MODEL = 'compatible/tagged';

let vendor: TestVendor;
let gateway: TestGateway | undefined;
let records: ExchangeRecord[];
const clock = useStoppedClock();

beforeEach(async () => {
  records = [];
  vendor = await startVendor();
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await vendor.close();
});

/** No window ends during a test, however long a busy machine takes. */
async function serve(
  tagLimits: KeyLimits,
  counted = limitsInMemory(),
): Promise<{ readonly url: string; readonly limits: ReturnType<typeof limitsInMemory> }> {
  clock.stop();
  const charge = charging(counted.charge);
  gateway = await startGateway(
    {
      vendors: vendorsAtUrl(vendor.url),
      models: [{ id: MODEL, contextWindow: 9_000, maxOutputTokens: 900, prices: { input: 2, output: 2 } }],
      generateContent: { models: 'all' },
      keys: [{ name: 'limited', key: LIMITED, tagLimits }],
    },
    undefined,
    (opened) => ({
      ...opened,
      limits: counted,
      record: recording((record) => {
        records.push(record);
        charge(record);
      }),
    }),
  );
  return { url: gateway.url, limits: counted };
}

const messages = [{ role: 'user', content: 'Hi' }];
const PATHS = {
  'chat-completions': ['/v1/chat/completions', { messages }],
  responses: ['/v1/responses', { input: 'Hi' }],
  messages: ['/v1/messages', { messages, max_tokens: 9 }],
  'generate-content': [
    `/v1beta/models/${MODEL}:generateContent`,
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  ],
} as const;

async function ask(
  url: string,
  more: object = {},
  {
    tag,
    format = 'chat-completions',
    key = LIMITED,
  }: { tag?: string; format?: keyof typeof PATHS; key?: string } = {},
): Promise<Response> {
  const [path, body] = PATHS[format];
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(tag !== undefined && { 'x-gateway-tag': tag }),
    },
    body: JSON.stringify({ ...(format !== 'generate-content' && { model: MODEL }), ...body, ...more }),
  });
  return new Response(await response.text(), response);
}

const statusOf = async (...asked: Parameters<typeof ask>): Promise<number> => (await ask(...asked)).status;

test('an answer of a fallback tells what is left of the limits of its tag', async () => {
  const failing = await startUpstream((_, response) => json(response, { error: { message: 'No.' } }, 500));
  const vendors = vendorsAtUrl(vendor.url);
  gateway = await startGateway({
    vendors: { ...vendors, openai: { ...vendors['openai'], baseUrl: `${failing.url}/v1` } },
    models: [{ id: MODEL, contextWindow: 9_000, maxOutputTokens: 900, prices: { input: 2, output: 2 } }],
    fallbacks: { 'openai/gpt-4.1': [MODEL] },
    keys: [
      {
        name: 'limited',
        key: LIMITED,
        limits: { requestsPerMinute: 50 },
        tagLimits: { requestsPerMinute: 5 },
      },
    ],
  });
  const response = await ask(gateway.url, { model: 'openai/gpt-4.1' }, { tag: 'alice' });
  await failing.close();
  expect([response.status, response.headers.get('x-gateway-model')]).toEqual([200, MODEL]);
  expect(response.headers.get('x-ratelimit-limit-requests')).toBe('5');
  expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('4');
});

describe.each([
  ['chat-completions', { safety_identifier: 'alice' }, { user: 'bob' }],
  ['responses', { user: 'alice' }, { safety_identifier: 'bob' }],
  ['messages', { metadata: { user_id: 'alice' } }, { metadata: { user_id: 'bob' } }],
] as const)('%s', (format, alice, bob) => {
  test('each end user has limits of their own, and a tag counts before the user', async () => {
    const { url } = await serve({ requestsPerMinute: 1 });
    expect(await statusOf(url, alice, { format })).toBe(200);
    const refused = await ask(url, alice, { format });
    expect(refused.status).toBe(429);
    const body = await refused.text();
    expect(JSON.parse(body)).toMatchObject(RATE_LIMITED[format]);
    expect(body).toContain('the tag or end user of this request is limited to 1 request per minute');
    expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('1');
    expect(await statusOf(url, bob, { format })).toBe(200);
    expect(await statusOf(url, alice, { format, tag: 'feature' })).toBe(200);
    expect(await statusOf(url, bob, { format, tag: 'feature' })).toBe(429);
    expect(await statusOf(url, alice, { format, key: KEY })).toBe(200);
    expect(records.map(({ tag }) => tag)).toEqual(['alice', 'alice', 'bob', 'feature', 'feature', undefined]);
  });
});

test('a tag limits calls of Google’s format, and requests without one share a limit', async () => {
  const { url } = await serve({ requestsPerMinute: 1 });
  const format = 'generate-content';
  expect(await statusOf(url, {}, { format, tag: 'a' })).toBe(200);
  expect(await statusOf(url, {}, { format, tag: 'a' })).toBe(429);
  expect(await statusOf(url, {}, { format })).toBe(200);
  expect(await statusOf(url)).toBe(429);
  expect(records.at(-1)?.tag).toBe('(none)');
});

test('a user of Claude Code is one user in all sessions, and a long name is a hash', async () => {
  const { url } = await serve({ requestsPerMinute: 1 });
  const format = 'messages';
  const of = (user_id: string) => ({ metadata: { user_id } });
  const account = `user_${'a'.repeat(64)}_account_0b0b`;
  const device = { device_id: 'd'.repeat(64), account_uuid: '', session_id: '1' };
  for (const [first, second] of [
    [`${account}_session_01-02`, `${account}_session_03-04`],
    [JSON.stringify(device), JSON.stringify({ ...device, session_id: '2' })],
    ['ü'.repeat(300), 'ü'.repeat(300)],
  ] as const) {
    expect(await statusOf(url, of(first), { format })).toBe(200);
    expect(await statusOf(url, of(second), { format })).toBe(429);
  }
  expect(records.map(({ tag }) => tag)).toEqual([
    ...Array(2).fill(account),
    ...Array(2).fill('d'.repeat(64)),
    ...Array(2).fill(expect.stringMatching(/^user-[0-9a-f]{64}$/)),
  ]);
});

test.each([
  'bob_session_1',
  `user_${'a'.repeat(64)}_account_bob_session_1`,
  '{"account_uuid":"bob"}',
  '{"account_uuid":"bob","device_id":"bob","session_id":"1"}',
  '{"device_id":"bob"}',
])('an end user who is named like a session of another is not that other: %s', async (user) => {
  const { url } = await serve({ requestsPerMinute: 1 });
  expect(await statusOf(url, { user })).toBe(200);
  expect(await statusOf(url, { metadata: { user_id: user } }, { format: 'messages' })).toBe(429);
  for (const named of ['bob', `user_${'a'.repeat(64)}_account_bob`])
    expect(await statusOf(url, { user: named })).toBe(200);
  expect(records.map(({ tag }) => tag).slice(0, 2)).toEqual([user, user]);
});

test('an end user who is named like the tag of another does not have that tag', async () => {
  const { url } = await serve({ requestsPerMinute: 1 });
  expect(await statusOf(url)).toBe(200);
  expect(await statusOf(url, { user: 'ü' })).toBe(200);
  const [none = '', hashed = ''] = records.map(({ tag }) => tag);
  expect([none, hashed]).toEqual(['(none)', expect.stringMatching(/^user-[0-9a-f]{64}$/)]);
  for (const user of [none, hashed, OTHER_TAGS]) expect(await statusOf(url, { user })).toBe(200);
  expect(new Set(records.map(({ tag }) => tag)).size).toBe(5);
  expect(records.at(-1)?.tag).not.toBe(OTHER_TAGS);
});

test('a budget of each tag, with what requests in flight hold of it', async () => {
  const { url, limits } = await serve({ budgetDay: 2, tokensPerMinute: 3_000_000 });
  vendor.takes(1_000_000, 0);
  expect(await statusOf(url, {}, { tag: 'a' })).toBe(200);
  const refused = await ask(url, {}, { tag: 'a' });
  expect(await refused.text()).toContain(
    'The tag or end user of this request has used up its budget for today.',
  );
  expect(await statusOf(url, {}, { tag: 'b' })).toBe(200);
  // Tags are no labels of metrics: callers choose them.
  expect(limits.budgets()).toEqual([]);
});

test('above a bound, further tags of a key count as one', () => {
  const bound = openTagBound(2);
  expect(['a', 'b', 'c', 'a', 'd'].map((tag) => bound.of('one', tag))).toEqual([
    'a',
    'b',
    OTHER_TAGS,
    'a',
    OTHER_TAGS,
  ]);
  expect(bound.of('two', 'c')).toBe('c');
  bound.clear();
  expect(bound.of('one', 'c')).toBe('c');
});

describeStores('what tags have spent', ({ open }) => {
  test('is read for those in use, for the day, the week and the month', async () => {
    const store = await open();
    const spend = (key: string, tag: string, cost: number, day: string) =>
      exchange({ key, tag, cost, time: Date.parse(`${day}T12:00:00Z`) });
    const spent = [
      spend('team', 'a', 1, '2026-05-20'),
      spend('team', 'a', 2, '2026-05-18'),
      spend('team', 'a', 4, '2026-05-01'),
      spend('team', 'a', 8, '2026-04-30'),
      spend('team', 'b', 16, '2026-05-20'),
      spend('other', 'a', 32, '2026-05-20'),
    ];
    await writeUsage(
      store,
      spent.map((record, place) => rowOf(record, place)),
    );
    const read = storedTagSpending(store);
    expect(await read('2026-05-20')).toEqual(new Map());
    const names = new Set(['team\na', 'other\nb']);
    for (let times = 0; times < 2; times += 1)
      expect(await read('2026-05-20', names)).toEqual(
        new Map([
          ['team\na', { day: 1, week: 3, month: 7, total: 0 }],
          ['other\nb', { day: 0, week: 0, month: 0, total: 0 }],
        ]),
      );
  });

  test('has what another process writes late of a day before, after a while', async () => {
    const store = await open();
    const write = (cost: number, batch: string) => {
      const spent = exchange({ key: 'team', tag: 'a', cost, time: Date.parse('2026-05-19T12:00:00Z') });
      return writeUsage(store, [{ ...rowOf(spent), batch }]);
    };
    const read = storedTagSpending(store);
    const month = async () => (await read('2026-05-20', new Set(['team\na']))).get('team\na')?.month;
    await write(1, 'one');
    expect(await month()).toBe(1);
    await write(2, 'two');
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 600_000);
    try {
      expect(await month()).toBe(3);
    } finally {
      clock.mockRestore();
    }
  });

  test('counts after a restart, a moment after the first request with the tag', async () => {
    const store = await open();
    const before = exchange({ key: 'limited', tag: 'a', cost: 2, time: Date.now() });
    await writeUsage(store, [rowOf(before)]);
    const limits = await openLimits({ storedOfTags: storedTagSpending(store) });
    try {
      const { url } = await serve({ budgetDay: 2 }, limits);
      await soon(async () => expect(await statusOf(url, {}, { tag: 'a' })).toBe(429));
      expect(await statusOf(url, {}, { tag: 'b' })).toBe(200);
    } finally {
      await limits.close();
    }
  });
});
