/** Threads give back what their start has left in their heaps. */

import { once } from 'node:events';
import { getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { exposeCollector, releaseOnceStarted } from '../../src/store/threads/release-heap.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a thread that is started afterwards has the collector', async () => {
  exposeCollector();
  const worker = new Worker("require('node:worker_threads').parentPort.postMessage(typeof gc)", {
    eval: true,
  });
  expect(await once(worker, 'message')).toEqual(['function']);
  await worker.terminate();
});

test('with it, a thread collects all garbage once', () => {
  exposeCollector();
  vi.stubGlobal('gc', runInNewContext('gc'));
  vi.useFakeTimers();
  let garbage: unknown[] = Array.from({ length: 400_000 }, (_, at) => ({ at, text: `${at}` }));
  const grown = getHeapStatistics().total_heap_size;
  expect(garbage).toHaveLength(400_000);
  garbage = [];
  releaseOnceStarted();
  vi.advanceTimersByTime(3_500);
  expect(getHeapStatistics().total_heap_size).toBeLessThan(grown - 10 * 1024 * 1024);
  expect(vi.getTimerCount()).toBe(0);
});
