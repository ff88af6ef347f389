/**
 * More work than the process can do: it is refused at once in the caller's format, and the work in progress goes on.
 */

import { afterEach, describe, expect, test } from 'vitest';
import { call } from '../support/caller.ts';
import { json } from '../support/upstream.ts';
import { chunk, openStage, requestOf, STREAM_END, type Stage, ways } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const [native, translated] = ways;

describe('requests in flight', () => {
  test("P-04 above the limit: 503 with Retry-After in the caller's format, and room again afterwards", async () => {
    stage = await openStage({ limits: { inFlight: 4 } });
    const ends: (() => void)[] = [];
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk('word'));
      ends.push(() => response.end(STREAM_END));
    });
    const live = await Promise.all([
      stage.ask(native),
      stage.ask(native),
      stage.ask(translated),
      stage.ask(translated),
    ]);
    const [one, other] = await Promise.all([stage.ask(native), stage.ask(translated)]);
    for (const refused of [one, other]) {
      expect(refused.status).toBe(503);
      expect(refused.headers['retry-after']).toBe('1');
    }
    expect(JSON.parse((await one.over).text)).toMatchObject({ error: { type: 'server_error' } });
    expect(JSON.parse((await other.over).text)).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error' },
    });
    expect((await stage.health('/health/live')).status).toBe(200);
    expect((await stage.health('/health/ready')).status).toBe(200);
    // No vendor was asked for the refused requests.
    expect(stage.upstream.received).toHaveLength(4);
    for (const end of ends) end();
    for (const { over } of live) expect((await over).complete).toBe(true);
    stage.respondWith((_, response) => json(response, {}));
    expect((await stage.ask(native, false)).status).toBe(200);
  });

  test('P-04 above the share of a key: 429, while others are served', async () => {
    const second = 'another-key-of-the-tests';
    stage = await openStage({ limits: { inFlightPerKey: 2 }, keys: [{ name: 'second', key: second }] });
    const isRefused = Promise.withResolvers<void>();
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('word'));
      void isRefused.promise.then(() => response.end(STREAM_END));
    });
    const live = await Promise.all([stage.ask(native), stage.ask(native)]);
    expect(live.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await stage.ask(native);
    expect({ status: refused.status, retryAfter: refused.headers['retry-after'] }).toEqual({
      status: 429,
      retryAfter: '1',
    });
    const others = await call(stage.gateway.url, native.path, requestOf(native, true), second);
    expect(others.status).toBe(200);
    isRefused.resolve();
    for (const { over } of [...live, others]) expect((await over).complete).toBe(true);
    await expect.poll(async () => (await stage.ask(native)).status).toBe(200);
  });

  test('P-04 an open loop of far more than fits: each is sent to the vendor or refused at once, and none is kept waiting', async () => {
    stage = await openStage({ limits: { inFlight: 20 } });
    const waiting: (() => void)[] = [];
    stage.respondWith((_, response) => waiting.push(() => json(response, {})));
    const statuses: number[] = [];
    const come = async (): Promise<void> => {
      const { status, headers } = await stage.ask(native, false);
      if (status === 503) expect(headers['retry-after']).toBe('1');
      statuses.push(status);
    };
    const served = (): number => statuses.filter((status) => status === 200).length;
    const all: Promise<void>[] = [];
    // Twice as many arrive as leave, and none leaves before all that have arrived have their outcome.
    for (let round = 0; round < 20; round++) {
      all.push(...Array.from({ length: 20 }, come));
      await expect.poll(() => waiting.length + statuses.length).toBe(all.length);
      expect(waiting.length).toBeLessThanOrEqual(20);
      const before = served();
      const going = waiting.splice(0, 10);
      for (const answer of going) answer();
      await expect.poll(served).toBe(before + going.length);
    }
    for (const answer of waiting) answer();
    await Promise.all(all);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(served()).toBeGreaterThanOrEqual(100);
  });
});
