/** Callers who leave: whatever they were waiting for is aborted at once, and nobody pays for it any longer. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually, post, rawClient } from '../support/raw.ts';
import { chunk, requestOf, streamEvents, useStage, ways } from './stage.ts';

/** The contract's bound at p99, in milliseconds from the caller's leaving to the end of the vendor's answer. */
const BOUND = 100;

/**
 * Holds the delays to the bound in a full run, which has the machine to itself; any other run only waits for each of
 * them.
 */
function expectSoon(took: readonly number[]): void {
  expect(took.every(Number.isFinite)).toBe(true);
  if (process.env['FULL'] === undefined) return;
  const inOrder = took.toSorted((a, b) => a - b);
  expect(inOrder[Math.ceil(0.99 * took.length) - 1]).toBeLessThan(BOUND);
}

const stage = useStage();

/** Answers by `respond`, and leaves by `leave` when `when` has come back; resolves with how long the vendor went on. */
async function leaving(
  request: string,
  when: (text: string) => boolean,
  leave: 'fin' | 'rst' | 'half-close',
): Promise<number> {
  const closed = stage.upstream.closed();
  const client = rawClient(stage.gateway.port, request);
  await client.until(when);
  const left = performance.now();
  if (leave === 'fin') client.socket.destroy();
  else if (leave === 'rst') client.socket.resetAndDestroy();
  else client.socket.end();
  const took = (await closed) - left;
  await client.over;
  return took;
}

/** The log lines of an exchange when it is over: usually one. */
async function recordsOf(id: string): Promise<unknown[]> {
  const lines = (): string[] => stage.gateway.lines().filter((line) => line.includes(`"${id}"`));
  await eventually(() => lines().length > 0, 'the exchange is recorded');
  await sleep(200);
  return lines().map((line) => JSON.parse(line));
}

describe.each(ways)('$way', (way) => {
  const streaming = post(way.path, requestOf(way, true));

  test('C-01 by FIN, in the middle of a stream', async () => {
    stage.respondWith((_, response) => streamEvents(response, 1_000, 10));
    const request = post(way.path, requestOf(way, true), [`x-request-id: left-${way.way}`]);
    expectSoon([await leaving(request, (text) => text.includes('word 3'), 'fin')]);
    // The exchange writes one line when it is over, and that line says who ended it.
    const lines = () => stage.gateway.lines().filter((line) => line.includes(`left-${way.way}`));
    await eventually(() => lines().length > 0, 'the exchange is recorded');
    await sleep(200);
    expect(lines().map((line) => JSON.parse(line).outcome)).toEqual(['client-closed']);
  });

  test('C-02 by RST, 500 of them in the middle of their streams', async () => {
    stage.respondWith((_, response) => streamEvents(response, 1_000, 10));
    const took: number[] = [];
    for (let round = 0; round < 50; round++) {
      // They leave one after the other within a round: `closed` reports the next answer that ends.
      const clients = await Promise.all(
        Array.from({ length: 10 }, async () => {
          const client = rawClient(stage.gateway.port, streaming);
          await client.until((text) => text.includes('word 1'));
          return client;
        }),
      );
      for (const client of clients) {
        const closed = stage.upstream.closed();
        const left = performance.now();
        client.socket.resetAndDestroy();
        took.push((await closed) - left);
      }
    }
    expect(took).toHaveLength(500);
    expectSoon(took);
    expect(stage.gateway.alive()).toBe(true);
  });

  test('C-03 before the vendor has sent anything', async () => {
    stage.respondWith(() => undefined);
    const before = stage.upstream.received.length;
    const closed = stage.upstream.closed();
    const client = rawClient(
      stage.gateway.port,
      post(way.path, requestOf(way, true), [`x-request-id: early-${way.way}`]),
    );
    await eventually(() => stage.upstream.received.length > before, 'the vendor is asked');
    const left = performance.now();
    client.socket.destroy();
    expectSoon([(await closed) - left]);
    await sleep(300);
    expect(await recordsOf(`early-${way.way}`)).toMatchObject([{ outcome: 'client-closed', status: 499 }]);
    expect(stage.upstream.received.length).toBe(before + 1);
  });

  test('C-03 after the head of the answer, before its first event', async () => {
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    const before = stage.upstream.received.length;
    const closed = stage.upstream.closed();
    const client = rawClient(stage.gateway.port, streaming);
    await eventually(() => stage.upstream.received.length > before, 'the vendor is asked');
    await sleep(50);
    const left = performance.now();
    client.socket.destroy();
    expectSoon([(await closed) - left]);
  });

  test('C-04 while the gateway waits before a retry: there is no retry', async () => {
    stage.respondWith((_, response) =>
      response.writeHead(503, { 'retry-after': '4', 'content-type': 'application/json' }).end('{}'),
    );
    const before = stage.upstream.received.length;
    const request = post(way.path, requestOf(way, true), ['Connection: close']);
    const patient = rawClient(stage.gateway.port, request);
    await eventually(() => stage.upstream.received.length === before + 1, 'the vendor is asked');
    await patient.over;
    expect(stage.upstream.received.length).toBe(before + 2);
    const client = rawClient(stage.gateway.port, request);
    await eventually(() => stage.upstream.received.length === before + 3, 'the vendor is asked');
    await sleep(100);
    client.socket.destroy();
    await sleep(4_500);
    expect(stage.upstream.received.length).toBe(before + 3);
  });

  test('C-05 while a non-streamed answer trickles in', async () => {
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    });
    const before = stage.upstream.received.length;
    const closed = stage.upstream.closed();
    const client = rawClient(stage.gateway.port, post(way.path, requestOf(way, false)));
    await eventually(() => stage.upstream.received.length > before, 'the vendor is asked');
    await sleep(200);
    const left = performance.now();
    client.socket.destroy();
    expectSoon([(await closed) - left]);
  });

  test('C-25 with a second request waiting behind the stream: it never starts', async () => {
    stage.respondWith((_, response) => streamEvents(response, 1_000, 10));
    const before = stage.upstream.received.length;
    expectSoon([await leaving(streaming + streaming, (text) => text.includes('word 3'), 'rst')]);
    await sleep(200);
    expect(stage.upstream.received.length).toBe(before + 1);
  });

  test('C-35 by closing only its sending side: treated as leaving, which looks the same and would go on being billed', async () => {
    stage.respondWith((_, response) => streamEvents(response, 1_000, 10));
    expectSoon([await leaving(streaming, (text) => text.includes('word 3'), 'half-close')]);
  });

  test('C-01 while its body is arriving: no vendor is asked', async () => {
    const before = stage.upstream.received.length;
    const whole = post(way.path, requestOf(way, true));
    for (let round = 0; round < 50; round++) {
      const client = rawClient(stage.gateway.port, whole.slice(0, -10));
      await sleep(5);
      if (round % 2 === 0) client.socket.destroy();
      else client.socket.resetAndDestroy();
      await client.over;
    }
    await sleep(100);
    expect(stage.upstream.received.length).toBe(before);
  });

  test('F5 a vendor that resets or breaks off in the middle does not end the stream normally', async () => {
    for (const cut of ['reset', 'end'] as const) {
      stage.respondWith((_, response, request) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunk('word 0'));
        setTimeout(() => (cut === 'reset' ? request.socket.resetAndDestroy() : request.socket.end()), 50);
      });
      const request = post(way.path, requestOf(way, true), ['Connection: close']);
      const answer = await rawClient(stage.gateway.port, request).over;
      expect(answer).toContain('word 0');
      // An error event in the caller's own format, and then the end, in order.
      expect(answer).toMatch(/data: \{[^\n]*"error":\{[^\n]*\}\n\n\r\n0\r\n\r\n$/);
      expect(answer).not.toContain('[DONE]');
    }
  });
});
