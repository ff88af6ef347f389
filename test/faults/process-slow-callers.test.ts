/** Callers who take too long to send their request or to read its answer. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually, post, rawClient, statusOf } from '../support/raw.ts';
import { requestOf, useStage, ways } from './stage.ts';

const stage = useStage({
  timeouts: { requestHead: 1_000, requestBody: 2_000, unread: 1_000, connectionIdle: 1_500 },
});

/** Resolves with what came back, and after how many milliseconds the connection was over. */
async function dripping(first: string, rest: string): Promise<{ text: string; took: number }> {
  const began = performance.now();
  const client = rawClient(stage.gateway.port, first);
  const drip = setInterval(() => client.socket.write(rest), 200);
  const text = await client.over;
  clearInterval(drip);
  return { text, took: performance.now() - began };
}

describe('callers who send too slowly', () => {
  // Node would only check every 30 s: a setting of the gateway changes the interval.
  const SOON = 20_000;

  test('C-08 headers, a line at a time: 408 soon after the time limit', async () => {
    const { text, took } = await dripping('POST /v1/messages HTTP/1.1\r\nHost: gateway\r\n', 'X-More: 1\r\n');
    expect(statusOf(text)).toBe(408);
    expect(took).toBeGreaterThan(900);
    expect(took).toBeLessThan(SOON);
  });

  test('C-08 a caller who connects and sends nothing is disconnected', async () => {
    const began = performance.now();
    await rawClient(stage.gateway.port).over;
    expect(performance.now() - began).toBeLessThan(SOON);
  });

  test('C-09 a body, a byte at a time: cut soon after the time limit, and no vendor is asked', async () => {
    const asked = stage.upstream.received.length;
    const request = post('/v1/chat/completions', requestOf(ways[0], true).padEnd(4_000));
    const { took } = await dripping(request.slice(0, -3_000), ' ');
    expect(took).toBeGreaterThan(1_900);
    expect(took).toBeLessThan(SOON);
    expect(stage.upstream.received).toHaveLength(asked);
  });

  test('a kept connection is closed when no further request comes', async () => {
    // The answer may be seen late, but it is not sent before the request.
    const began = performance.now();
    const client = rawClient(stage.gateway.port, 'GET /health/live HTTP/1.1\r\nHost: gateway\r\n\r\n');
    expect(await client.over).toContain('"ok"');
    const took = performance.now() - began;
    expect(took).toBeGreaterThan(1_400);
    expect(took).toBeLessThan(SOON);
  });
});

describe.each(ways)('callers who do not read, $way', (way) => {
  /** Sends more than any buffers on the way can hold, as fast as it is read. */
  const flood = (): void =>
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const event = `data: ${JSON.stringify({
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: { content: 'x'.repeat(30_000) } }],
      })}\n\n`;
      const more = (): void => {
        while (!response.destroyed && response.write(event));
      };
      response.on('drain', more);
      more();
    });

  test('C-07 for longer than the time limit: closed, and the vendor aborted', async () => {
    flood();
    const client = rawClient(stage.gateway.port, post(way.path, requestOf(way, true)));
    await client.until((text) => text.includes('xxx'));
    client.socket.pause();
    await eventually(() => stage.live() === 0, 'the vendor is aborted');
    client.socket.resume();
    // The unread part is lost, and the caller can see that: the body has no end.
    expect((await client.over).endsWith('0\r\n\r\n')).toBe(false);
  });

  test('C-06 a caller who reads on in time, again and again, is not disconnected, however slow', async () => {
    flood();
    const client = rawClient(stage.gateway.port, post(way.path, requestOf(way, true)));
    await client.until((text) => text.includes('xxx'));
    // All pauses together are longer than the time limit, and each one is a small part of it.
    for (let pause = 0; pause < 12; pause++) {
      client.socket.pause();
      await sleep(100);
      const before = client.text().length;
      client.socket.resume();
      await client.until((text) => text.length > before + 4_000_000);
    }
    expect(stage.live()).toBe(1);
    client.socket.destroy();
    await eventually(() => stage.live() === 0, 'the vendor is aborted');
  });

  test("C-07 a vendor that is silent for longer than the time limit is not the caller's fault", async () => {
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"first"}}]}\n\n',
      );
      setTimeout(
        () =>
          response.end(
            'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"last"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
          ),
        3_000,
      );
    });
    const client = rawClient(stage.gateway.port, post(way.path, requestOf(way, true), ['Connection: close']));
    const text = await client.over;
    expect(text).toContain('first');
    expect(text).toContain('last');
    expect(text.endsWith('0\r\n\r\n')).toBe(true);
  });
});
