/**
 * Endings of every kind, over and over: they leave nothing behind. `node bench/soak.ts` runs minutes of it under load.
 */

import { expect, test } from 'vitest';
import { call } from '../support/caller.ts';
import { preload } from '../support/preload.ts';
import { eventually } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { chunk, requestOf, streamEvents, useStage, ways } from './stage.ts';

// The process reports on a signal what is left after everything that can be freed is freed. V8 frees the memory of buffers
// on a thread, and counts it (up to 2 MB here) until the next collection: the second one waits for that thread.
const REPORT = `process.on('SIGUSR2', () => {
  gc();
  gc();
  const { heapUsed, external } = process.memoryUsage();
  console.log('kept ' + (heapUsed + external));
});`;
const stage = useStage({ limits: { bodyBytes: 100_000 } }, preload(REPORT, ['--expose-gc']));

async function kept(): Promise<number> {
  const told = (): readonly RegExpMatchArray[] => [...stage.gateway.output().matchAll(/^kept (\d+)$/gm)];
  const before = told().length;
  stage.gateway.signal('SIGUSR2');
  await eventually(() => told().length > before, 'it is reported');
  return Number(told().at(-1)?.[1]);
}

/** What a caller asks for, which a vendor of many moods answers; some callers leave, some ask too much. */
const MOODS = ['whole', 'stream', 'breaks', 'refuses', 'not JSON', 'left', 'too large', 'no model'] as const;

async function one(at: number): Promise<void> {
  const way = ways[at % 2] ?? ways[0];
  const mood = MOODS[at % MOODS.length] ?? 'whole';
  const model = mood === 'no model' ? 'no/such-model' : way.model;
  const text = mood === 'too large' ? 'x'.repeat(200_000) : mood;
  const answer = await call(stage.gateway.url, way.path, requestOf({ model }, mood !== 'whole', text)).catch(
    () => undefined,
  );
  if (mood === 'left') answer?.leave();
  await answer?.over;
}

test('P-21 10,000 exchanges that end in every possible way: sockets and memory are back where they were', {
  timeout: 600_000,
}, async () => {
  stage.respondWith((received, response) => {
    const body = received.body.toString();
    if (body.includes('refuses'))
      return json(response, { error: { message: 'No.', type: 'invalid_request_error' } }, 400);
    if (body.includes('not JSON'))
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
    if (body.includes('whole')) return json(response, {});
    if (!body.includes('breaks')) return streamEvents(response, 4, 5);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk('word'), () => response.destroy());
  });
  const memory: number[] = [];
  for (let round = 0; round < 10; round++) {
    let next = 0;
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        while (next < 1_000) await one(next++);
      }),
    );
    await eventually(() => stage.live() === 0, 'every answer of the vendor has ended');
    memory.push(await kept());
  }
  // The first round warms up. Code that V8 keeps for a while is no leak: the least of several rounds counts. Half a KB
  // left by each exchange would be 3 MB in the six rounds between them.
  const early = Math.min(...memory.slice(1, 4));
  const late = Math.min(...memory.slice(-3));
  expect(late - early).toBeLessThan(1.5 * 1024 * 1024);
});
