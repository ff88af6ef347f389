/** What requests in flight hold of budgets, and how far a budget can be overspent: through running gateways. */

import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Limits } from '../../../src/access/limits/limits.ts';
import { limitsInMemory } from '../../../src/access/limits/open-limits.ts';
import { localReservations, sharedReservations } from '../../../src/access/limits/reservations.ts';
import { charging } from '../../../src/accounting/usage/consumption.ts';
import type { ExchangeRecord } from '../../../src/accounting/usage/exchange-record.ts';
import { recording } from '../../../src/accounting/usage/make-record.ts';
import { type ConfigInput, configSchema } from '../../../src/config/schema.ts';
import type { FormatName } from '../../../src/conversation/prompt.ts';
import type { KeyLimits } from '../../../src/store/keys/key-limits.ts';
import { chatCompletion } from '../../support/chat-completion.ts';
import { startGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { soon } from '../../support/soon.ts';
import { json, startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { FORMATS, RATE_LIMITED, serveSharing } from './support.ts';

const ONE = 'gw-test-key-that-reserves';
const TWO = 'gw-test-key-that-reserves-too';

/** A dollar for a thousand tokens, of input or output; it answers with up to 4,000 of them. */
const DEAR = {
  id: 'compatible/dear',
  contextWindow: 100_000,
  maxOutputTokens: 4_000,
  prices: { input: 0, output: 1_000 },
};
const DEARER = { ...DEAR, id: 'compatible/dearer', prices: { input: 0, output: 10_000 } };

let vendor: TestUpstream;
/** The answers that are held back; undefined: none. */
let held: (() => void)[] | undefined;
let failing: ReadonlySet<string>;
/** How the vendor fails for these models. */
let failure: readonly [body: object, status: number];
let records: ExchangeRecord[];
const closing: (() => Promise<void>)[] = [];

/** A vendor that uses all tokens that it may, and cuts an answer off when the caller leaves. */
beforeEach(async () => {
  held = undefined;
  failing = new Set();
  failure = [{ error: { message: 'No.', type: 'server_error' } }, 500];
  records = [];
  vendor = await startUpstream((request, response) => {
    const { model, max_tokens, max_completion_tokens, n = 1 } = JSON.parse(String(request.body));
    if ([...failing].some((name) => String(model).endsWith(name))) {
      json(response, ...failure);
      return;
    }
    const output = (max_completion_tokens ?? max_tokens ?? DEAR.maxOutputTokens) * n;
    const usage = { prompt_tokens: 0, completion_tokens: output, total_tokens: output };
    const answer = (): void => json(response, chatCompletion('Yes.', { model, usage }));
    if (held === undefined) answer();
    else held.push(answer);
  });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await vendor.close();
});

function letGo(): void {
  const waiting = held ?? [];
  held = undefined;
  for (const answer of waiting) answer();
}

async function serve(
  limits: KeyLimits,
  { group = {}, ...more }: ConfigInput & { group?: KeyLimits } = {},
  change: (counted: Limits) => Limits = (counted) => counted,
): Promise<{ readonly url: string; readonly limits: ReturnType<typeof limitsInMemory> }> {
  const counted = limitsInMemory();
  const charge = charging(counted.charge);
  const gateway = await startGateway(
    {
      vendors: vendorsAtUrl(vendor.url),
      models: [DEAR, DEARER],
      groups: [{ name: 'search', limits: group }],
      keys: [
        { name: 'one', key: ONE, group: 'search', limits },
        { name: 'two', key: TWO, group: 'search' },
      ],
      generateContent: { models: 'all' },
      ...more,
    },
    undefined,
    (opened) => ({
      ...opened,
      limits: change(counted),
      record: recording((record) => {
        records.push(record);
        charge(record);
      }),
    }),
  );
  closing.push(gateway.close);
  return { url: gateway.url, limits: counted };
}

interface Asking {
  readonly format?: FormatName;
  readonly key?: string;
  readonly most?: number;
  readonly more?: object;
  readonly model?: string;
  readonly signal?: AbortSignal;
}

function ask(url: string, asking: Asking = {}): Promise<Response> {
  const { format = 'chat-completions', key = ONE, most, more, model = 'compatible/dear', signal } = asking;
  const messages = [{ role: 'user', content: 'Hi' }];
  const [path, body] = {
    'chat-completions': ['/v1/chat/completions', { model, messages, ...(most && { max_tokens: most }) }],
    responses: ['/v1/responses', { model, input: 'Hi', ...(most && { max_output_tokens: most }) }],
    messages: ['/v1/messages', { model, messages, max_tokens: most ?? 4_000 }],
    'generate-content': [
      `/v1beta/models/${model}:generateContent`,
      {
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        ...(most && { generationConfig: { maxOutputTokens: most } }),
      },
    ],
  }[format] as [string, object];
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, ...more }),
    ...(signal && { signal }),
  });
}

/** The statuses of so many requests at once, all of which have begun before the first is answered. */
async function statusesAtOnce(urls: readonly string[], count: number, asking: Asking): Promise<number[]> {
  held = [];
  const before = vendor.received.length;
  let ended = 0;
  const answers = Array.from({ length: count }, async (_, at) => {
    const response = await ask(urls[at % urls.length] ?? '', asking);
    if (response.status !== 200) ended += 1;
    await response.arrayBuffer();
    return response.status;
  });
  await soon(() => expect(vendor.received.length - before + ended).toBe(count));
  letGo();
  return Promise.all(answers);
}

const countOf = (statuses: readonly number[], status: number): number =>
  statuses.filter((each) => each === status).length;

const spent = (): number => records.reduce((sum, { cost = 0 }) => sum + cost, 0);

test('forty requests at once under a nearly empty budget: one is answered', async () => {
  const { url } = await serve({ budgetDay: 0.001 });
  const statuses = await statusesAtOnce([url], 40, {});
  expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([1, 39]);
  expect(spent()).toBe(4);
});

test('by default a request alone is answered as long as anything is left', async () => {
  const { url } = await serve({ budgetDay: 9 });
  const statuses: number[] = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await ask(url)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test('by default requests in flight hold a typical answer each, or the one that they ask for if it is shorter', async () => {
  const { url, limits } = await serve({ budgetDay: 3 });
  expect(countOf(await statusesAtOnce([url], 8, { most: 500 }), 200)).toBe(6);
  expect(spent()).toBe(3);
  const other = await serve({ budgetDay: 3 });
  expect(countOf(await statusesAtOnce([other.url], 8, { most: 4_000 }), 200)).toBe(3);
  expect(limits.budgets().map(({ reserved }) => reserved)).toEqual([0]);
});

test('by default a long prompt holds what long prompts cost', async () => {
  const prices = { input: 1_000, output: 0, long: { above: 100, input: 5_000, output: 0 } };
  const { url } = await serve({ budgetDay: 2 }, { models: [{ ...DEAR, prices }] });
  // Some 250 tokens.
  const messages = [{ role: 'user', content: 'word '.repeat(200) }];
  expect(countOf(await statusesAtOnce([url], 8, { more: { messages } }), 200)).toBe(2);
});

describe.each(FORMATS)('with the longest answer reserved, in %s', (format) => {
  test('a budget is not overspent, whatever is in flight at once', async () => {
    const { url } = await serve({ budgetDay: 10, budgetReserve: 'longest' });
    expect(countOf(await statusesAtOnce([url], 20, { format, most: 1_500 }), 200)).toBe(6);
    expect(spent()).toBe(9);
    const refused = await ask(url, { format, most: 1_500 });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(await refused.text()).toContain(
      'This request may cost $1.500, and this API key has $1.000 left of its budget for today.',
    );
    expect((await ask(url, { format, most: 1_000 })).status).toBe(200);
    expect(spent()).toBe(10);
  });

  test('what only waits for others is told to try again', async () => {
    const { url } = await serve({ budgetDay: 5, budgetReserve: 'longest' });
    held = [];
    const first = ask(url, { format, most: 4_000 });
    await soon(() => expect(vendor.received).toHaveLength(1));
    const busy = await ask(url, { format, most: 4_000 });
    expect(busy.status).toBe(429);
    expect(busy.headers.get('retry-after')).toBe('1');
    expect(busy.headers.get('x-should-retry')).toBeNull();
    expect(await busy.json()).toMatchObject(RATE_LIMITED[format]);
    letGo();
    expect((await first).status).toBe(200);
    expect((await ask(url, { format, most: 1_000 })).status).toBe(200);
  });
});

describe('with the longest answer reserved', () => {
  test('a request that does not bound its answer holds what the model gives at most', async () => {
    const { url } = await serve({ budgetDay: 7.9, budgetReserve: 'longest' });
    expect((await ask(url)).status).toBe(200);
    expect((await ask(url)).status).toBe(429);
    // A field of another format bounds nothing.
    for (const more of [{ max_output_tokens: 1 }, { generationConfig: { maxOutputTokens: 1 } }])
      expect((await ask(url, { more })).status).toBe(429);
    expect((await ask(url, { most: 1_000 })).status).toBe(200);
    expect((await ask(url, { most: 1_000, more: { n: 3 } })).status).toBe(429);
    expect((await ask(url, { most: 1_000, more: { n: 2 } })).status).toBe(200);
  });

  test.each<[FormatName, object]>([
    ['chat-completions', { max_tokens: 1_000, n: '3' }],
    ['chat-completions', { max_tokens: 1_000, max_completion_tokens: '3000' }],
    ['chat-completions', { max_tokens: 1_000, max_completion_tokens: -1 }],
    ['responses', { max_output_tokens: '3000' }],
    ['messages', { max_tokens: '3000' }],
    ['generate-content', { generationConfig: { maxOutputTokens: 1_000, candidateCount: '3' } }],
    ['generate-content', { generationConfig: { maxOutputTokens: '3000' } }],
  ])(
    'S-49 in %s a number that is written as text counts too, since services read it: %j',
    async (format, more) => {
      const { url } = await serve({ budgetDay: 2.9, budgetReserve: 'longest' });
      expect((await ask(url, { format, more })).status).toBe(429);
      expect(vendor.received).toHaveLength(0);
    },
  );

  test('of several budgets that a request can never fit into, the refusal names the one that renews last', async () => {
    const { url } = await serve({ budgetDay: 5, budgetMonth: 3, budgetTotal: 3, budgetReserve: 'longest' });
    held = [];
    const first = ask(url, { most: 2_000 });
    await soon(() => expect(vendor.received).toHaveLength(1));
    const refused = await ask(url, { most: 4_000 });
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(await refused.text()).toContain('has $3.000 left of its budget in total.');
    expect((await ask(url, { most: 2_000 })).headers.get('retry-after')).toBe('1');
    letGo();
    expect((await first).status).toBe(200);
  });

  test('the input counts amply, and all of the window if it is stored at the vendor', async () => {
    const prices = { input: 1_000, output: 0 };
    const { url } = await serve(
      { budgetDay: 99, budgetReserve: 'longest' },
      { models: [{ ...DEAR, prices }] },
    );
    const content = 'word '.repeat(1_000);
    const messages = [{ role: 'user', content }];
    expect(
      (await ask(url, { more: { messages: [...messages, ...Array(40).fill(messages[0])] } })).status,
    ).toBe(429);
    expect((await ask(url, { more: { messages } })).status).toBe(200);
    const stored = { previous_response_id: 'resp_1' };
    expect((await ask(url, { format: 'responses', more: stored })).status).toBe(429);
  });

  test.each(['the_cat_', 'data:image/png;base64,'])(
    'words that look like a file count as words: %s',
    async (beginning) => {
      const prices = { input: 1_000, output: 0 };
      const { url } = await serve(
        { budgetDay: 60, budgetReserve: 'longest' },
        { models: [{ ...DEAR, prices }] },
      );
      const content = beginning + 'the_cat_'.repeat(25_000);
      expect((await ask(url, { more: { messages: [{ role: 'user', content }] } })).status).toBe(429);
      const image = {
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${'iVBORw0K'.repeat(25_000)}` },
      };
      expect((await ask(url, { more: { messages: [{ role: 'user', content: [image] }] } })).status).toBe(200);
      // A caller who leaves before the vendor has told the usage is charged for them, too.
      held = [];
      const leaving = new AbortController();
      const most = { key: TWO, signal: leaving.signal, more: { messages: [{ role: 'user', content }] } };
      const left = ask(url, most).catch(() => undefined);
      await soon(() => expect(held).toHaveLength(1));
      leaving.abort();
      await left;
      await soon(() => expect(records.at(-1)?.estimated?.tokens ?? 0).toBeGreaterThan(49_000));
    },
  );

  test.each([
    ['chat-completions', { service_tier: 'priority' }],
    ['responses', { service_tier: 'priority' }],
    ['messages', { speed: 'fast' }],
    ['messages', { inference_geo: 'us' }],
    ['generate-content', { serviceTier: 'priority' }],
    ['generate-content', { service_tier: 'priority' }],
  ] as const)('in %s, a request with %j holds the highest price of any tier', async (format, more) => {
    const prices = { ...DEAR.prices, tiers: { flex: 0.5, fast: 2, us: 1.1 } };
    // An answer is 4 dollars at the standard tier. A fast one can be of one region, too.
    const { url } = await serve(
      { budgetDay: 8.5, budgetReserve: 'longest' },
      { models: [{ ...DEAR, prices }] },
    );
    expect((await ask(url, { format, more })).status).toBe(429);
    expect(vendor.received).toHaveLength(0);
    expect((await ask(url, { format })).status).toBe(200);
  });

  test.each([
    ['chat-completions', { models: ['compatible/dearer'] }],
    ['responses', { models: ['compatible/dear', 'compatible/dearer'] }],
    ['messages', { fallbacks: [{ model: 'compatible/dearer' }] }],
  ] as const)('in %s the dearest of the models that the vendor may ask is held: %j', async (format, more) => {
    const { url } = await serve({ budgetDay: 5, budgetReserve: 'longest' });
    expect((await ask(url, { format, more, most: 1_000 })).status).toBe(429);
    expect(vendor.received).toHaveLength(0);
    expect((await ask(url, { format, more, most: 400 })).status).toBe(200);
  });

  test('a bound that is written twice is rejected: the vendor may read the other one', async () => {
    const { url } = await serve({ budgetDay: 5, budgetReserve: 'longest' });
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ONE}`, 'content-type': 'application/json' },
      body: '{"model":"compatible/dear","messages":[{"role":"user","content":"Hi"}],"max_tokens":9,"max_tokens":4000}',
    });
    expect(response.status).toBe(400);
    expect(vendor.received).toHaveLength(0);
  });

  test.each<[FormatName, object]>([
    ['chat-completions', { max_tokens: 9, Max_Tokens: 4_000 }],
    ['messages', { max_tokens: 9, 'max_to\u212aens': 4_000 }],
    ['responses', { max_output_tokens: 9, max_output_tokenS: 4_000 }],
    ['generate-content', { generationConfig: { maxOutputTokens: 9, max_output_tokens: 4_000 } }],
    ['generate-content', { generationConfig: { maxOutputTokens: 9 }, generation_config: {} }],
  ])('S-49 in %s so is one in two spellings: %j', async (format, more) => {
    const { url } = await serve({ budgetDay: 5, budgetReserve: 'longest' });
    expect((await ask(url, { format, more })).status).toBe(400);
    expect(vendor.received).toHaveLength(0);
  });

  test('nothing stays held of what was refused, failed, or left', async () => {
    const { url, limits } = await serve(
      { budgetDay: 5, budgetReserve: 'longest' },
      { retries: { limit: 0 } },
    );
    const isFree = () => soon(() => expect(limits.budgets().map(({ reserved }) => reserved)).toEqual([0]));
    expect((await ask(url, { most: 9_000 })).status).toBe(429);
    await isFree();
    failing = new Set(['dear']);
    expect((await ask(url)).status).toBeGreaterThanOrEqual(500);
    await isFree();
    failing = new Set();
    held = [];
    const leaving = new AbortController();
    const left = ask(url, { signal: leaving.signal }).catch(() => undefined);
    await soon(() => expect(vendor.received.length).toBeGreaterThan(1));
    expect(limits.budgets().map(({ reserved }) => reserved)).toEqual([4]);
    leaving.abort();
    await left;
    await isFree();
    letGo();
    expect((await ask(url)).status).toBe(200);
  });

  test('nothing stays held for a caller who has left before it is', async () => {
    const [asked, known] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { url, limits } = await serve({ budgetDay: 5, budgetReserve: 'longest' }, {}, (counted) => ({
      ...counted,
      // As long as Redis takes.
      async reserve(...request) {
        asked.resolve();
        await known.promise;
        return counted.reserve(...request);
      },
    }));
    const leaving = new AbortController();
    const left = ask(url, { signal: leaving.signal }).catch(() => undefined);
    await asked.promise;
    leaving.abort();
    await left;
    await soon(() => expect(records).toHaveLength(1));
    known.resolve();
    expect((await ask(url)).status).toBe(200);
    await soon(() => expect(limits.budgets().map(({ reserved }) => reserved)).toEqual([0]));
  });

  test.each<[string, typeof failure]>([
    ['fallbacks', [{ error: { message: 'No.', type: 'server_error' } }, 500]],
    ['longPromptFallbacks', [{ error: { message: 'No.', code: 'context_length_exceeded' } }, 400]],
    ['contentPolicyFallbacks', [{ error: { message: 'No.', code: 'content_filter' } }, 400]],
  ])('one of %s holds what it may cost itself, and is skipped if that does not fit', async (field, how) => {
    const lists = { 'compatible/dear': ['compatible/dearer', 'openai/gpt-4.1-mini'] };
    const { url } = await serve({ budgetDay: 5, budgetReserve: 'longest' }, { [field]: lists });
    failure = how;
    failing = new Set(['dear']);
    const answer = await ask(url, { most: 1_000 });
    expect([answer.status, answer.headers.get('x-gateway-model')]).toEqual([200, 'openai/gpt-4.1-mini']);
    const cheap = await ask(url, { most: 400 });
    expect([cheap.status, cheap.headers.get('x-gateway-model')]).toEqual([200, 'compatible/dearer']);
  });

  test('the budget of a group, one for some models, and that of each tag hold too', async () => {
    const { url } = await serve({}, { group: { budgetMonth: 10, budgetReserve: 'longest' } });
    expect(countOf(await statusesAtOnce([url], 20, { most: 4_000, key: TWO }), 200)).toBe(2);
    expect(spent()).toBe(8);

    records = [];
    const byModel = await serve(
      {},
      {
        keys: [
          {
            name: 'one',
            key: ONE,
            limits: { budgetReserve: 'longest' },
            modelLimits: [{ models: ['compatible/dear'], budgetDay: 5 }],
          },
        ],
      },
    );
    expect(countOf(await statusesAtOnce([byModel.url], 20, { most: 2_000 }), 200)).toBe(2);
    expect(spent()).toBe(4);
    expect((await ask(byModel.url, { model: 'compatible/dearer' })).status).toBe(200);

    const ofTag = {
      name: 'one',
      key: ONE,
      limits: { budgetReserve: 'longest' },
      tagLimits: { budgetDay: 5 },
    } as const;
    const byTag = await serve({}, { keys: [ofTag] });
    const asAnn = { most: 2_000, more: { user: 'ann' } };
    expect(countOf(await statusesAtOnce([byTag.url], 20, asAnn), 200)).toBe(2);
    expect((await ask(byTag.url, { most: 2_000, more: { user: 'ben' } })).status).toBe(200);
  });
});

test('the last release leaves nothing behind, whatever the rounding', () => {
  const here = localReservations();
  expect([here.hold('team', 0.1), here.hold('team', 0.2)]).toEqual([0, 0.1]);
  here.release('team', 0.1);
  here.release('team', 0.2);
  expect([here.held('team'), ...here.keys()]).toEqual([0]);
});

describe.skipIf(!hasRedis())('with Redis', () => {
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.close());

  test('three replicas do not overspend a budget together', async () => {
    const config = configSchema.parse({
      port: 0,
      vendors: vendorsAtUrl(vendor.url),
      models: [DEAR],
      keys: [{ name: 'one', key: ONE, limits: { budgetDay: 10, budgetReserve: 'longest' } }],
    });
    const urls: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { url, close } = await serveSharing(config, { redisUrl: redis.url });
      closing.push(close);
      urls.push(url);
    }
    expect(countOf(await statusesAtOnce(urls, 30, { most: 1_500 }), 200)).toBeLessThanOrEqual(6);
    for (let tries = 0; tries < 12; tries += 1) await ask(urls[tries % 3] ?? '', { most: 1_500 });
    expect(vendor.received).toHaveLength(6);
  });

  test('what a process held that was killed counts for a minute, and what is no amount counts as nothing', async () => {
    const client = await connected();
    const [here, there] = [1, 2].map(() => sharedReservations('reserved', client));
    expect([await here?.hold('team', 2), await here?.hold('team', 1)]).toEqual([0, 2]);
    expect(await there?.hold('team', 5)).toBe(3);
    here?.release('team', 2);
    await soon(async () => {
      expect(await there?.hold('team', 0)).toBe(6);
    });
    const place = 'gateway:reserved:team';
    expect(await client.pttl(place)).toBeGreaterThan(50_000);
    for (const field of await client.hkeys(place)) {
      const [amount] = ((await client.hget(place, field)) ?? '').split(' ');
      await client.hset(place, field, `${amount} ${Date.now() - 1}`);
    }
    await client.hset(place, 'another', 'none', 'and one more', 'nan inf');
    const later = sharedReservations('reserved', client);
    expect(await later.hold('team', 1)).toBe(0);
    expect(await client.hlen(place)).toBe(1);
    for (const each of [here, there, later]) each?.close();
  });

  test('a reservation lasts as long as its request', async () => {
    const client = await connected();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const here = sharedReservations('reserved', client);
      await here.hold('team', 2);
      await client.pexpire('gateway:reserved:team', 500);
      vi.advanceTimersByTime(30_000);
      await soon(async () => expect(await client.pttl('gateway:reserved:team')).toBeGreaterThan(49_000));
      here.release('team', 2);
      await soon(async () => expect(await client.exists('gateway:reserved:team')).toBe(0));
      here.close();
    } finally {
      vi.useRealTimers();
    }
  });

  async function connected(): Promise<Redis> {
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.url);
    closing.push(async () => client.disconnect());
    return client;
  }
});
