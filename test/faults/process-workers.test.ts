/** Several processes behind one port: any of them can be lost. */

import { afterEach, describe, expect, test } from 'vitest';
import { defaultModels } from '../../src/catalog/default.ts';
import { call } from '../support/caller.ts';
import { KEY } from '../support/gateway.ts';
import { preload } from '../support/preload.ts';
import { spawnGateway } from '../support/process.ts';
import { childrenOf, listening, runs } from '../support/process-tree.ts';
import { eventually } from '../support/raw.ts';
import {
  chunk,
  openStage,
  openStreams,
  STREAM_END,
  type Stage,
  streamEvents,
  twoWorkersOf,
  ways,
} from './stage.ts';

let stage: Stage;
afterEach(() => stage?.close());

const [native] = ways;

async function twoWorkers(): Promise<number[]> {
  stage = await openStage({ workers: 2 });
  return twoWorkersOf(stage);
}

describe('P-20 workers', () => {
  test('P-20 one that is killed costs only its own streams, and is replaced, again and again', async () => {
    const workers = await twoWorkers();
    stage.respondWith((_, response) => streamEvents(response, 20, 150));
    const answers = await openStreams(stage.gateway.url);
    const [victim = 0] = workers;
    process.kill(victim, 'SIGKILL');
    const ends = await Promise.all(answers.map(({ over }) => over));
    const whole = ends.filter(({ complete, text }) => complete && text.includes('word 19'));
    // Connections are distributed in turn, more or less.
    expect(whole.length).toBeGreaterThan(0);
    expect(whole.length).toBeLessThan(12);
    const replaced = (): number => stage.gateway.output().split('A new worker is serving.').length - 1;
    for (let round = 1; round <= 3; round++) {
      await eventually(() => replaced() === round, 'another one serves');
      expect(childrenOf(stage.gateway.pid)).toHaveLength(2);
      process.kill(childrenOf(stage.gateway.pid)[round % 2] ?? 0, 'SIGKILL');
      // The port is served throughout by the remaining workers.
      await eventually(() => childrenOf(stage.gateway.pid).length === 1, 'it is gone');
      expect((await stage.ask(native, false)).status).toBe(200);
    }
    expect(stage.gateway.output()).toContain('A worker ended (SIGKILL) and is being replaced.');
  });

  test('P-20 one that ends because of a bug is replaced at once, while it finishes its work', async () => {
    stage = await openStage(
      { workers: 2 },
      preload(`process.on('SIGUSR2', () => setTimeout(() => { throw new Error('planted'); }, 1));`),
    );
    const [victim = 0] = twoWorkersOf(stage);
    const ends: (() => void)[] = [];
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('word'));
      ends.push(() => response.end(STREAM_END));
    });
    const answers = await openStreams(stage.gateway.url);
    process.kill(victim, 'SIGUSR2');
    await eventually(() => stage.gateway.output().includes('A new worker is serving.'), 'another one serves');
    expect(childrenOf(stage.gateway.pid)).toHaveLength(3);
    expect(childrenOf(stage.gateway.pid)).toContain(victim);
    // A worker's messages go to the log, as those of the first process do.
    const line = stage.gateway.lines().find((text) => text.includes('planted'));
    expect(JSON.parse(line ?? '')).toMatchObject({ level: 'error', msg: expect.stringContaining('planted') });
    for (const end of ends) end();
    for (const { over } of answers) expect(await over).toMatchObject({ complete: true });
    const gone = 'A worker ended (1) and is being replaced.';
    await eventually(() => stage.gateway.output().includes(gone), 'it has ended');
    expect(stage.gateway.output().match(/A new worker is serving/g)).toHaveLength(1);
    expect(childrenOf(stage.gateway.pid)).toHaveLength(2);
  });

  test('P-20 workers that die at once are restarted ever later, and a signal ends that', async () => {
    stage = await openStage(
      { workers: 2 },
      preload(`
        import cluster from 'node:cluster';
        if (cluster.worker?.id > 2) process.exit(3);
      `),
    );
    for (const worker of twoWorkersOf(stage)) process.kill(worker, 'SIGKILL');
    /** When each of them was seen to be dead. */
    const deaths = (): readonly number[] =>
      stage.gateway
        .lines()
        .filter((line) => line.includes('A worker ended'))
        .map((line) => Date.parse(JSON.parse(line).time));
    await eventually(() => deaths().length === 7, 'they die again and again');
    const [, , , , fifth = 0, , seventh = 0] = deaths();
    // After the fifth, whose place was empty for 1.6 s, its successor or that of a later one has died.
    expect(seventh - fifth).toBeGreaterThanOrEqual(1_590);
    stage.gateway.signal('SIGTERM');
    expect(await stage.gateway.ended).toBe(0);
  });

  test('P-20 without the first process they finish their work, and end', async () => {
    const workers = await twoWorkers();
    stage.respondWith((_, response) => streamEvents(response, 20, 150));
    const answers = await openStreams(stage.gateway.url);
    stage.gateway.signal('SIGKILL');
    for (const { over } of answers) expect(await over).toMatchObject({ complete: true });
    await eventually(() => !workers.some(runs), 'every worker has ended');
  });

  test('P-20 simulated vendors are started once, and the one key that they all accept is created once', async () => {
    const gateway = await spawnGateway({ workers: 2 });
    try {
      const body = JSON.stringify({
        model: 'anthropic/claude-sonnet-4-5',
        messages: [{ role: 'user', content: 'Hi' }],
      });
      const statuses = await Promise.all(
        Array.from(
          { length: 6 },
          async () => (await call(gateway.url, '/v1/chat/completions', body, KEY)).status,
        ),
      );
      expect(statuses).toEqual(Array.from({ length: 6 }, () => 200));
      expect(gateway.output()).toContain('simulated vendors answer');
      expect(gateway.output()).toContain(` with ${defaultModels().length} models.`);
      // The first process has the listening sockets of the simulated vendors.
      for (const worker of childrenOf(gateway.pid)) expect(listening(worker)).toBe(0);
      expect(listening(gateway.pid)).toBe(2);
    } finally {
      gateway.signal('SIGTERM');
      expect(await gateway.ended).toBe(0);
      await gateway.close();
    }
  });
});
