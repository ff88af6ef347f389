/** `GET /v1/key`: callers see their own key, its limits and what it has used; through a running gateway with a store. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Limits } from '../../src/access/limits/limits.ts';
import { openLimits } from '../../src/access/limits/open-limits.ts';
import { storedByModel, storedSpending } from '../../src/access/limits/stored-spending.ts';
import { type CallerUsage, openCallerUsage } from '../../src/accounting/usage/caller-usage.ts';
import { writeUsage } from '../../src/accounting/usage/write-usage.ts';
import { addDays, formatDay } from '../../src/lib/calendar.ts';
import { callerKey } from '../../src/server/http/caller-key.ts';
import { openApi } from '../../src/server/http/openapi/document.ts';
import type { Store } from '../../src/store/store.ts';
import { exchange, noon, rowOf } from '../accounting/usage/records.ts';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { describeStores } from '../support/stores.ts';
import { operationsOf } from './openapi/operations.ts';

const OWN = 'gw-test-key-that-looks-at-itself';
const DAILY = 'gw-test-key-with-a-budget-for-a-day';
const TODAY = formatDay(Date.now());

let gateway: TestGateway | undefined;
let limits: Limits | undefined;
beforeEach(() => {
  gateway = undefined;
  limits = undefined;
});
afterEach(async () => {
  await gateway?.close();
  await limits?.close();
});

async function serve(store: Store): Promise<string> {
  limits = await openLimits({
    stored: storedSpending(store),
    storedOfGroups: storedSpending(store, 'group'),
    storedByModel: { keys: storedByModel(store, 'key'), groups: storedByModel(store, 'group') },
  });
  gateway = await startGateway(
    {
      groups: [{ name: 'search', limits: { budgetWeek: 100, requestsPerMinute: 60 } }],
      keys: [
        {
          name: 'own',
          key: OWN,
          group: 'search',
          models: ['openai/gpt-4.1', 'anthropic/*'],
          expires: '2999-01-31T12:00:00Z',
          limits: { budgetDay: 5, budgetTotal: 50, tokensPerMinute: 9_000 },
          modelLimits: [{ models: ['openai/gpt-4.1'], budgetMonth: 4 }],
        },
        { name: 'daily', key: DAILY, limits: { budgetDay: 5 } },
      ],
    },
    undefined,
    (opened) => ({ ...opened, ...(limits && { limits }), callerUsage: openCallerUsage(store, 'UTC') }),
  );
  return gateway.url;
}

const spend = (key: string, cost: number, day: string, model = 'anthropic/claude-opus-4-5') =>
  exchange({ key, cost, model, group: 'search', time: noon(day) });

const look = (url: string, headers: Record<string, string>) => fetch(`${url}/v1/key`, { headers });

describeStores('a caller’s own key', ({ open }) => {
  test.each([
    ['chat-completions', {}, { error: { type: 'server_error', param: null, code: 'store_unavailable' } }],
    ['messages', { 'anthropic-version': '2023-06-01' }, { type: 'error', error: { type: 'api_error' } }],
  ])('is a 503 with words while the store is away, in %s', async (_, headers, body) => {
    const store = await open();
    const url = await serve(store);
    await store.close();
    const response = await look(url, { authorization: `Bearer ${OWN}`, ...headers });
    expect(response.status).toBe(503);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject(body);
    expect(text).toContain('The store cannot be reached at the moment');
    const operation = operationsOf(openApi()).find(({ id }) => id === 'getOwnKey');
    expect(operation?.responses['503']).toBeDefined();
  });

  test('shows its models, its limits, what is left of them, and its spending by day', async () => {
    const store = await open();
    const rows = [
      spend('own', 1, TODAY),
      spend('own', 2, TODAY, 'openai/gpt-4.1'),
      spend('own', 40, addDays(TODAY, -40)),
      spend('other', 7, TODAY),
    ];
    await writeUsage(
      store,
      rows.map((record, place) => rowOf(record, place)),
    );
    const url = await serve(store);
    const response = await look(url, { authorization: `Bearer ${OWN}` });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).not.toContain(OWN);
    const { data } = callerKey.parse(JSON.parse(text));
    expect(data).toMatchObject({
      label: 'own',
      group: 'search',
      expires_at: '2999-01-31T12:00:00.000Z',
      limit: 5,
      limit_remaining: 2,
      limit_reset: 'daily',
      usage: 43,
      usage_daily: 3,
      time_zone: 'UTC',
      days: [{ date: TODAY, requests: 2, input_tokens: 200, output_tokens: 40, usage: 3 }],
    });
    expect(data.models).toContain('openai/gpt-4.1');
    expect(data.models).not.toContain('openai/gpt-4o');
    expect(data.limits).toMatchObject([
      {
        of: 'key',
        models: null,
        tokens_per_minute: 9_000,
        budgets: [
          { period: 'day', limit: 5, remaining: 2, renews_at: `${addDays(TODAY, 1)}T00:00:00.000Z` },
          { period: 'total', limit: 50, remaining: 7, renews_at: null },
        ],
      },
      { of: 'key', models: 'openai/gpt-4.1', budgets: [{ period: 'month', limit: 4, remaining: 2 }] },
      {
        of: 'group',
        models: null,
        requests_per_minute: 60,
        budgets: [{ period: 'week', limit: 100, remaining: 90 }],
      },
    ]);
  });
});

describeStores('the figures of one answer agree', ({ open }) => {
  test.each([0, 3])('before the store has the last request, after %i dollars that it has', async (before) => {
    const store = await open();
    await writeUsage(store, before === 0 ? [] : [rowOf(spend('daily', before, TODAY))]);
    const url = await serve(store);
    const authorization = `Bearer ${DAILY}`;
    // Any request makes this process count what the key spends.
    await postJson(`${url}/v1/chat/completions`, {}, { headers: { authorization } });
    limits?.charge({ key: 'daily', tokens: 5, cost: 1, time: Date.now() });
    const { data } = callerKey.parse(await (await look(url, { authorization })).json());
    const usage = before + 1;
    expect(data).toMatchObject({
      limit_remaining: 5 - usage,
      usage,
      usage_daily: usage,
      usage_weekly: usage,
      usage_monthly: usage,
      days: [{ date: TODAY, requests: before === 0 ? 0 : 1, usage }],
    });
  });

  test('while requests are written', async () => {
    const store = await open();
    const seen: CallerUsage[] = [];
    let isWriting = true;
    const reading = (async () => {
      while (isWriting) seen.push(await openCallerUsage(store, 'UTC')('own'));
    })();
    for (let batch = 0; batch < 100; batch += 1)
      await writeUsage(store, [{ ...rowOf(spend('own', 1, TODAY)), batch: `${batch}` }]);
    isWriting = false;
    await reading;
    expect(seen.length).toBeGreaterThan(10);
    for (const { spent, days } of seen) {
      const day = days[0]?.cost ?? 0;
      expect(spent).toEqual({ day, week: day, month: day, total: day });
    }
  });
});

test('a key without limits and without a store has neither, and only its own caller sees it', async () => {
  gateway = await startGateway();
  const { url } = gateway;
  for (const headers of [
    { 'x-api-key': KEY },
    { 'x-goog-api-key': KEY },
    { authorization: `Bearer ${KEY}` },
  ]) {
    const response = await look(url, headers as Record<string, string>);
    expect(callerKey.parse(await response.json()).data).toMatchObject({
      label: 'test',
      models: null,
      limit: null,
      limit_remaining: null,
      limit_reset: null,
      usage: 0,
      limits: [],
      days: [],
    });
  }
  const refused = await look(url, { authorization: 'Bearer gw-wrong' });
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
  expect((await fetch(`${url}/v1/key`, { method: 'DELETE' })).status).toBe(405);
});
