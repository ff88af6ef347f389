/** Several processes behind one port end as one. */

import { afterEach, describe, expect, test } from 'vitest';
import { childrenOf, runs } from '../support/process-tree.ts';
import { eventually } from '../support/raw.ts';
import { openStage, openStreams, type Stage, streamEvents, twoWorkersOf } from './stage.ts';

let stage: Stage;
afterEach(() => stage?.close());

async function twoWorkers(): Promise<number[]> {
  stage = await openStage({ workers: 2 });
  return twoWorkersOf(stage);
}

describe('the end of several workers', () => {
  test('P-20 SIGTERM drains all of them: no stream is cut, the process exits with 0', async () => {
    const workers = await twoWorkers();
    stage.respondWith((_, response) => streamEvents(response, 20, 150));
    const answers = await openStreams(stage.gateway.url);
    stage.gateway.signal('SIGTERM');
    for (const { over } of answers) {
      expect(await over).toMatchObject({ complete: true, text: expect.stringContaining('word 19') });
    }
    expect(await stage.gateway.ended, stage.gateway.output()).toBe(0);
    expect(workers.filter(runs)).toEqual([]);
  });

  test('P-20 a signal to the whole process group, as terminals and service managers send it, is one signal', async () => {
    const workers = await twoWorkers();
    stage.respondWith((_, response) => streamEvents(response, 20, 150));
    const answers = await openStreams(stage.gateway.url);
    for (const pid of [...workers, stage.gateway.pid]) process.kill(pid, 'SIGTERM');
    for (const { over } of answers) expect(await over).toMatchObject({ complete: true });
    expect(await stage.gateway.ended, stage.gateway.output()).toBe(0);
    await eventually(() => !workers.some(runs), 'every worker has ended');
  });

  test('P-20 SIGTERM does not wait for a worker that is still starting', async () => {
    const workers = await twoWorkers();
    process.kill(workers[0] ?? 0, 'SIGKILL');
    const isNew = (pid: number): boolean => !workers.includes(pid);
    await eventually(() => childrenOf(stage.gateway.pid).some(isNew), 'another worker starts');
    // Its start takes for ever.
    for (const pid of childrenOf(stage.gateway.pid).filter(isNew)) process.kill(pid, 'SIGSTOP');
    expect(stage.gateway.output()).not.toContain('A new worker is serving');
    stage.gateway.signal('SIGTERM');
    expect(await stage.gateway.ended, stage.gateway.output()).toBe(0);
  });

  test('P-02 a second signal ends all of them early: streams end with an error, the process with 1', async () => {
    await twoWorkers();
    stage.respondWith((_, response) => streamEvents(response, 1_000, 50));
    const answers = await openStreams(stage.gateway.url);
    stage.gateway.signal('SIGTERM');
    await eventually(() => stage.gateway.output().includes('Shutting down once'), 'it has begun to end');
    stage.gateway.signal('SIGTERM');
    for (const { over } of answers) {
      expect(await over).toMatchObject({
        complete: true,
        text: expect.stringMatching(/shutting down[^\n]*\n\n$/),
      });
    }
    expect(await stage.gateway.ended).toBe(1);
  });
});
