/** What is retried, what is not, and the limits of retries. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { vendorsAtUrl } from '../support/gateway.ts';
import { eventually } from '../support/raw.ts';
import { chat, good, openaiAt, status, statuses, usePlaces } from './upstream-places.ts';
import { ask, streamedAnswer } from './upstream-ways.ts';

const { gatewayOf, upstreams } = usePlaces();

describe('retries', () => {
  test('none with a limit of 0; two, and never more, with a limit of 2', async () => {
    const [vendor] = await upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    for (const [limit, asked] of [
      [0, 1],
      [1, 2],
      [2, 3],
    ] as const) {
      vendor.requests.length = 0;
      vendor.script(status(503));
      const gateway = await gatewayOf({ vendors: vendorsAtUrl(vendor.url), retries: { limit } });
      expect(await statuses(gateway, 1)).toEqual([503]);
      expect(vendor.requests).toHaveLength(asked);
    }
  });

  test('no more, once the vendor refuses the request itself', async () => {
    const [vendor] = await upstreams(1);
    vendor?.script(status(503), status(400), good);
    const gateway = await gatewayOf({ vendors: vendorsAtUrl(`${vendor?.url}`), retries: { limit: 2 } });
    expect(await statuses(gateway, 1)).toEqual([400]);
    expect(vendor?.requests).toHaveLength(2);
  });

  test('none, if the vendor asks for a longer wait than there is time: the caller gets the error at once', async () => {
    const [vendor] = await upstreams(1);
    vendor?.script(status(429, { 'retry-after-ms': '20000' }));
    const gateway = await gatewayOf({
      vendors: vendorsAtUrl(`${vendor?.url}`),
      retries: { retryAfter: 60_000 },
      timeouts: { total: 10_000 },
    });
    const response = await ask(gateway.url, chat, false);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after-ms')).toBe('20000');
    await response.text();
    expect(vendor?.requests).toHaveLength(1);
  });

  test('a retry has the same body and headers', async () => {
    const [vendor] = await upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    vendor.script(status(503), good);
    const gateway = await gatewayOf({ vendors: vendorsAtUrl(vendor.url) });
    expect(await statuses(gateway, 1)).toEqual([200]);
    const [first, second] = vendor.requests;
    expect(second?.head).toBe(first?.head);
    expect(second?.body).toEqual(first?.body);
    expect(second?.head).not.toMatch(/^range:/im);
  });

  test('nothing is retried after a byte has reached the caller, or after a body has begun', async () => {
    const [vendor] = await upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    const gateway = await gatewayOf({
      vendors: vendorsAtUrl(vendor.url),
      retries: { after: 'failed', limit: 2 },
    });
    const events = streamedAnswer('chat-completions').slice(0, 600);
    vendor.script((wire) => {
      wire.stream([events]);
      setTimeout(() => wire.reset(), 20);
    });
    const response = await ask(gateway.url, chat, true);
    expect(response.status).toBe(200);
    await response.text();
    expect(vendor.requests).toHaveLength(1);
  });

  test('a caller who leaves during the wait costs no second request (C-04)', async () => {
    const [vendor] = await upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    vendor.script(status(503, { 'retry-after-ms': '4000' }));
    const gateway = await gatewayOf({ vendors: vendorsAtUrl(vendor.url) });
    const caller = new AbortController();
    const asked = ask(gateway.url, chat, false, { signal: caller.signal });
    await eventually(() => vendor.requests.length === 1, 'the vendor is asked');
    await sleep(100);
    caller.abort();
    await expect(asked).rejects.toThrow();
    await sleep(4_500);
    expect(vendor.requests).toHaveLength(1);
  });

  test('a caller who leaves while a vendor works causes no request to another vendor', async () => {
    const [vendor, other] = await upstreams(2);
    if (!vendor || !other) throw new Error('There are no vendors.');
    vendor.script(() => undefined);
    const gateway = await gatewayOf({
      vendors: {
        openai: { baseUrl: `${vendor.url}/v1`, apiKey: 'x' },
        anthropic: { baseUrl: other.url, apiKey: 'y' },
      },
      retries: { after: 'failed', limit: 2 },
      fallbacks: { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5'] },
    });
    const caller = new AbortController();
    const asked = ask(gateway.url, chat, false, { signal: caller.signal });
    asked.catch(() => undefined);
    await eventually(() => vendor.requests.length === 1, 'the vendor is asked');
    caller.abort();
    await eventually(() => vendor.open() === 0, 'the vendor is aborted');
    await sleep(200);
    expect([vendor.requests.length, other.requests.length, other.connections()]).toEqual([1, 0, 0]);
  });

  test('retries do not double the load of an outage: the budget', async () => {
    const [vendor] = await upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    vendor.script(status(503));
    const gateway = await gatewayOf({
      vendors: vendorsAtUrl(vendor.url),
      retries: { share: 0.1, perSecond: 0 },
    });
    await statuses(gateway, 200);
    // Ten were saved up, and each ten requests add one.
    expect(vendor.requests.length - 200).toBeGreaterThanOrEqual(25);
    expect(vendor.requests.length - 200).toBeLessThanOrEqual(31);
  });

  test('nor do retries at another upstream', async () => {
    const places = await upstreams(2);
    for (const place of places) place.script(status(503));
    const gateway = await gatewayOf({
      vendors: openaiAt(places),
      retries: { share: 0.1, perSecond: 0 },
      ejection: { failures: 0 },
    });
    await statuses(gateway, 100);
    const asked = places.reduce((sum, { requests }) => sum + requests.length, 0);
    // Ten were saved up for each of the two, and each ten requests add one.
    expect(asked - 100).toBeGreaterThanOrEqual(20);
    expect(asked - 100).toBeLessThanOrEqual(31);
  });
});
