/** The limits of a key, when a thousand requests arrive at once, and when one asks for as much as a thousand. */

import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KeyLimits } from '../../src/store/keys/key-limits.ts';
import { ask, startVendor, statusOf, type TestVendor } from '../access/limits/support.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { eventually } from '../support/raw.ts';

const LIMITED = 'gw-test-key-with-limits';
const AT_ONCE = 1_000;

// A thousand connections at once take a busy machine longer than the 10 s that fetch waits for each. And the kernel queues
// 511 of them for a process that is not accepting just now (Node's documentation, `server.listen`): it resets further ones.
const ordinary = getGlobalDispatcher();
const patient = new Agent({ connect: { timeout: 0 }, headersTimeout: 0, connections: 500 });
beforeAll(() => setGlobalDispatcher(patient));
afterAll(async () => {
  setGlobalDispatcher(ordinary);
  await patient.close();
});

let vendor: TestVendor;
let gateway: TestGateway;
beforeEach(async () => {
  vendor = await startVendor();
});
afterEach(async () => {
  await gateway.close();
  await vendor.close();
});

async function serve(limits: KeyLimits): Promise<void> {
  gateway = await startGateway({
    vendors: vendorsAtUrl(vendor.url),
    keys: [{ name: 'limited', key: LIMITED, limits }],
    limits: { eventLoopDelay: 600_000 },
  });
}

/** How many of this many requests at once had which status. */
async function burst(count = AT_ONCE): Promise<Readonly<Record<number, number>>> {
  const statuses = await Promise.all(
    Array.from({ length: count }, () => statusOf(ask(gateway.url, LIMITED))),
  );
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('S-23 limits of a key, with 1,000 requests at once', () => {
  test('ten a minute are ten', async () => {
    await serve({ requestsPerMinute: 10 });
    expect(await burst()).toEqual({ 200: 10, 429: AT_ONCE - 10 });
    expect(vendor.received).toHaveLength(10);
    expect(await statusOf(ask(gateway.url, KEY))).toBe(200);
  });

  test('ten at a time are ten', async () => {
    await serve({ concurrentRequests: 10 });
    const release = vendor.hold();
    let refused = 0;
    const all = Array.from({ length: AT_ONCE }, async () => {
      const status = await statusOf(ask(gateway.url, LIMITED));
      if (status === 429) refused += 1;
      return status;
    });
    const answered = Promise.all(all);
    const others = eventually(() => refused === AT_ONCE - 10, 'all others are refused');
    // A request that fails, as one of so many connections at once may, is reported at once.
    await Promise.race([others, answered]);
    expect(refused).toBe(AT_ONCE - 10);
    expect(vendor.received).toHaveLength(10);
    release();
    expect((await answered).filter((status) => status === 200)).toHaveLength(10);
  });

  test('ten dollars are ten, plus at most what is in flight when they are used up', async () => {
    await serve({ budgetDay: 10, concurrentRequests: 5 });
    // A dollar each.
    vendor.takes(500_000, 0);
    let answered = 0;
    for (let more = -1; more !== 0; ) {
      more = (await burst(200))[200] ?? 0;
      answered += more;
    }
    expect(answered).toBeGreaterThanOrEqual(10);
    expect(answered).toBeLessThan(10 + 5);
    expect(vendor.received).toHaveLength(answered);
  });
});

describe('S-30 one request that asks for as much as many', () => {
  const post = (path: string, body: object): Promise<Response> =>
    postJson(`${gateway.url}${path}`, body, { key: LIMITED });
  const messages = [{ role: 'user', content: 'Is it?' }];

  test.each([
    ['anthropic/claude-sonnet-4-5', 128],
    ['google/gemini-2.5-flash', 128],
    ['google/gemini-2.5-flash', 9],
  ])('%s, translated, with n: %i: more than the vendor can ever give is not requested', async (model, n) => {
    await serve({});
    const response = await post('/v1/chat/completions', { model, n, messages });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(vendor.received).toHaveLength(0);
  });

  test('translated, no more tokens are requested than the model can give', async () => {
    await serve({});
    const response = await post('/v1/messages', { model: 'openai/gpt-4.1', max_tokens: 2 ** 40, messages });
    expect(response.status).toBe(200);
    await response.text();
    const sent = JSON.parse(vendor.received[0]?.body.toString() ?? '{}');
    const most = sent.max_completion_tokens ?? sent.max_tokens;
    expect(most).toBeGreaterThan(1_000);
    expect(most).toBeLessThan(1_000_000);
  });

  test('its usage is charged in full, natively too: the next one is refused', async () => {
    await serve({ budgetMonth: 5 });
    vendor.takes(10, 128 * 32_768);
    const dear = { model: 'openai/gpt-4.1', n: 128, max_tokens: 32_768, messages };
    const response = await post('/v1/chat/completions', dear);
    expect(response.status).toBe(200);
    await response.text();
    await expect.poll(() => statusOf(ask(gateway.url, LIMITED))).toBe(429);
    const refused = await post('/v1/chat/completions', dear);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { code: 'insufficient_quota' } });
  });
});
