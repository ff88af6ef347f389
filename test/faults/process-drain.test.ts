/** The end of the process: announced to load balancers, and delayed until every live answer is complete. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, call } from '../support/caller.ts';
import { eventually, post, rawClient, statusOf } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { chunk, openStage, requestOf, STREAM_END, type Stage, ways } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const ready = async (): Promise<number> => (await stage.health('/health/ready')).status;

describe('SIGTERM', () => {
  test('P-01 with 500 live streams: not one is cut, the process exits with 0', async () => {
    stage = await openStage();
    const signalled = Promise.withResolvers<void>();
    let opened = 0;
    // Two words at once; the others, over 2 to 4 seconds, after the signal.
    stage.respondWith((_, response) => {
      const words = 12 + (opened++ % 12);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk('word 0 ') + chunk('word 1 '));
      void signalled.promise.then(async () => {
        for (let at = 2; at < words; at++) {
          await sleep(200);
          response.write(chunk(`word ${at} `));
        }
        response.end(STREAM_END);
      });
    });
    const answers: Answer[] = [];
    for (let round = 0; round < 10; round++) {
      const more = Array.from({ length: 50 }, (_, at) => {
        const way = ways[at % 2] ?? ways[0];
        return stage.ask(way);
      });
      answers.push(...(await Promise.all(more)));
    }
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const live = stage.live();
    stage.gateway.signal('SIGTERM');
    signalled.resolve();
    const texts = await Promise.all(answers.map(({ over }) => over));
    const whole = texts.filter(
      ({ complete, text }) => complete && /data: \[DONE\]\s*$|event: message_stop/.test(text),
    );
    expect({ live, whole: whole.length }).toEqual({ live: 500, whole: 500 });
    // Nothing is missing in the middle, either.
    for (const { text } of texts) {
      const words = [...text.matchAll(/word (\d+) /g)].map(([, at]) => Number(at));
      expect(words).toEqual(Array.from({ length: words.length }, (_, at) => at));
      expect(words.length).toBeGreaterThanOrEqual(12);
    }
    expect(await stage.gateway.ended).toBe(0);
  });

  test('P-01 it is not ready at once, serves on while load balancers notice, and keeps no connection', async () => {
    stage = await openStage({ timeouts: { preDrain: 3_000 } });
    expect(await ready()).toBe(200);
    stage.gateway.signal('SIGTERM');
    await expect.poll(ready).toBe(503);
    const client = rawClient(stage.gateway.port, post('/v1/chat/completions', requestOf(ways[0], false)));
    expect(await client.until((text) => text.includes('\r\n\r\n'))).toMatch(
      /^HTTP\/1.1 200[\s\S]*connection: close/i,
    );
    await client.over;
    expect(await stage.gateway.ended).toBe(0);
  });

  test('P-01 an idle kept connection does not hold up the process', async () => {
    stage = await openStage();
    const client = rawClient(stage.gateway.port, post('/v1/chat/completions', requestOf(ways[0], false)));
    expect(statusOf(await client.until((text) => text.includes('{}')))).toBe(200);
    stage.gateway.signal('SIGTERM');
    expect(await stage.gateway.ended).toBe(0);
  });

  test('P-01 nor does one whose caller keeps it after an answer that had begun before', async () => {
    stage = await openStage({ timeouts: { connectionIdle: 600_000 } });
    const told = Promise.withResolvers<void>();
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('word'));
      void told.promise.then(() => response.end(STREAM_END));
    });
    const client = rawClient(stage.gateway.port, post('/v1/chat/completions', requestOf(ways[0], true)));
    expect(await client.until((text) => text.includes('word'))).toMatch(/^connection: keep-alive/im);
    stage.gateway.signal('SIGTERM');
    await expect.poll(stage.gateway.output).toContain('Shutting down once the answers in progress (1)');
    told.resolve();
    expect(await stage.gateway.ended).toBe(0);
    expect(client.text()).toContain('data: [DONE]');
  });

  test('P-01 a non-streamed answer that has not even begun is awaited too', async () => {
    stage = await openStage();
    const told = Promise.withResolvers<void>();
    stage.respondWith((_, response) => void told.promise.then(() => json(response, { id: 'late' })));
    const answer = call(stage.gateway.url, '/v1/chat/completions', requestOf(ways[0], false));
    await eventually(() => stage.live() === 1, 'the vendor was asked');
    stage.gateway.signal('SIGTERM');
    // Whoever has pressed Ctrl-C sees why the process still runs.
    await eventually(
      () => /Shutting down once the answers in progress \(1\) are complete/.test(stage.gateway.output()),
      'it says what it awaits',
    );
    told.resolve();
    const { status, over } = await answer;
    expect({ status, text: (await over).text }).toEqual({ status: 200, text: '{"id":"late"}' });
    expect(await stage.gateway.ended).toBe(0);
  });
});
