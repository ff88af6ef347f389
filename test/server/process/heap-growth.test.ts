/** A small heap may double between two full collections, and a large one grows by a fifth. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { adaptHeapGrowth } from '../../../src/server/process/heap-growth.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MB = 2 ** 20;

test('the growth changes when the heap has become large or small again', () => {
  const state = { size: 60 * MB };
  const set: number[] = [];
  const stop = adaptHeapGrowth({ heapSize: () => state.size, setGrowth: (percent) => set.push(percent) });
  vi.advanceTimersByTime(5_000);
  expect(set).toEqual([]);
  state.size = 250 * MB;
  vi.advanceTimersByTime(5_000);
  expect(set).toEqual([20]);
  state.size = 80 * MB;
  vi.advanceTimersByTime(5_000);
  expect(set).toEqual([20, 100]);
  stop();
  state.size = 250 * MB;
  vi.advanceTimersByTime(5_000);
  expect(set).toEqual([20, 100]);
});
