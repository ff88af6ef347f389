/** More than can be done: refused at once in the caller's words, and what is under way goes on. */

import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, call } from '../support/caller.ts';
import { json } from '../support/upstream.ts';
import { chunk, openStage, requestOf, STREAM_END, type Stage, streamEvents, ways } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const health = (path: string): Promise<Response> =>
  fetch(`${stage.gateway.url}${path}`, { headers: { connection: 'close' } });

const [native, translated] = ways;
const ask = (way: (typeof ways)[number], stream = true): Promise<Answer> =>
  call(stage.gateway.url, way.path, requestOf(way, stream));

describe('requests in flight', () => {
  test('P-04 over the limit: 503 with Retry-After in the words of the format, and room again afterwards', async () => {
    stage = await openStage({ limits: { inFlight: 4 } });
    const ends: (() => void)[] = [];
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk('word'));
      ends.push(() => response.end(STREAM_END));
    });
    const live = await Promise.all([ask(native), ask(native), ask(translated), ask(translated)]);
    const [one, other] = await Promise.all([ask(native), ask(translated)]);
    for (const refused of [one, other]) {
      expect(refused.status).toBe(503);
      expect(refused.headers['retry-after']).toBe('1');
    }
    expect(JSON.parse((await one.over).text)).toMatchObject({ error: { type: 'server_error' } });
    expect(JSON.parse((await other.over).text)).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error' },
    });
    expect((await health('/health/live')).status).toBe(200);
    expect((await health('/health/ready')).status).toBe(200);
    // Nobody was asked on behalf of those who were refused.
    expect(stage.upstream.received).toHaveLength(4);
    for (const end of ends) end();
    for (const { over } of live) expect((await over).complete).toBe(true);
    stage.respondWith((_, response) => json(response, {}));
    expect((await ask(native, false)).status).toBe(200);
  });

  test('P-04 over the share of a key: 429, while others are served', async () => {
    const second = 'another-key-of-the-tests';
    stage = await openStage({ limits: { inFlightPerKey: 2 }, keys: [{ name: 'second', key: second }] });
    stage.respondWith((_, response) => streamEvents(response, 5, 200));
    const live = await Promise.all([ask(native), ask(native)]);
    const refused = await ask(native);
    expect({ status: refused.status, retryAfter: refused.headers['retry-after'] }).toEqual({
      status: 429,
      retryAfter: '1',
    });
    const others = await call(stage.gateway.url, native.path, requestOf(native, true), second);
    expect(others.status).toBe(200);
    for (const { over } of [...live, others]) expect((await over).complete).toBe(true);
    await expect.poll(async () => (await ask(native)).status).toBe(200);
  });

  test('P-04 an open loop of far more than fits: each is answered, in time or at once, and none is kept waiting', {
    timeout: 60_000,
  }, async () => {
    stage = await openStage({ limits: { inFlight: 20 } });
    stage.respondWith((_, response) => setTimeout(() => json(response, {}), 300));
    const arrivals: Promise<{ status: number; retryAfter: string | undefined; took: number }>[] = [];
    // Twice what 20 places of 300 ms can do.
    for (let at = 0; at < 400; at++) {
      const began = performance.now();
      arrivals.push(
        ask(native, false).then(({ status, headers }) => ({
          status,
          retryAfter: headers['retry-after'],
          took: performance.now() - began,
        })),
      );
      await new Promise((resolve) => setTimeout(resolve, 7.5));
    }
    const answers = await Promise.all(arrivals);
    const served = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status, retryAfter }) => status === 503 && retryAfter === '1');
    expect(served.length + refused.length).toBe(400);
    expect(served.length).toBeGreaterThanOrEqual(100);
    expect(refused.length).toBeGreaterThan(50);
    // No queue grows: the last of those served did not wait longer than the first.
    const middle = (times: readonly number[]): number =>
      [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;
    expect(middle(served.slice(-50).map(({ took }) => took))).toBeLessThan(
      3 * middle(served.slice(0, 50).map(({ took }) => took)),
    );
  });
});
