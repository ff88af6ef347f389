/** Memory is given back while nothing is served, and only if there is some to give back. */

import { getHeapStatistics } from 'node:v8';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { releaseWhenIdle } from '../../../src/server/process/release-memory.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A heap of `size` bytes, of which `live` are in use. */
function heap() {
  const state = { inFlight: 0, claimed: 0, size: 100, live: 60, collections: 0 };
  const stop = releaseWhenIdle({
    inFlight: () => state.inFlight,
    claimed: () => state.claimed,
    heapSize: () => state.size,
    collect() {
      state.collections += 1;
      state.size = state.live;
    },
  });
  return { state, stop };
}

test('a process that serves nothing releases what it no longer needs, once', () => {
  const { state, stop } = heap();
  vi.advanceTimersByTime(2_500);
  expect(state.collections).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(state).toMatchObject({ collections: 1, size: 60 });
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(1);
  stop();
});

test('it does so again after the heap has grown, and never while it serves', () => {
  const { state, stop } = heap();
  vi.advanceTimersByTime(3_500);
  Object.assign(state, { inFlight: 1, size: 200 });
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(1);
  state.inFlight = 0;
  vi.advanceTimersByTime(29_000);
  expect(state.collections).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(state).toMatchObject({ collections: 2, size: 60 });
  state.size = 70;
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(2);
  stop();
  state.size = 500;
  vi.advanceTimersByTime(60_000);
  expect(state.collections).toBe(2);
});

test('a process that answers now and then does not, though no check meets an answer', () => {
  const { state, stop } = heap();
  const answering = setInterval(() => {
    state.claimed += 1;
  }, 2_500);
  vi.advanceTimersByTime(120_000);
  expect(state.collections).toBe(0);
  clearInterval(answering);
  // A load that begins with the process is followed by pauses like any other.
  vi.advanceTimersByTime(29_000);
  expect(state.collections).toBe(0);
  vi.advanceTimersByTime(3_000);
  expect(state.collections).toBe(1);
  stop();
});

test('the real collection gives pages back', () => {
  let garbage: unknown[] = Array.from({ length: 400_000 }, (_, at) => ({ at, text: `${at}` }));
  const grown = getHeapStatistics().total_heap_size;
  expect(garbage).toHaveLength(400_000);
  garbage = [];
  const stop = releaseWhenIdle({ inFlight: () => 0, claimed: () => 0 });
  vi.advanceTimersByTime(3_500);
  stop();
  expect(getHeapStatistics().total_heap_size).toBeLessThan(grown - 10 * 1024 * 1024);
});
