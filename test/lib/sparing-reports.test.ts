import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { reportSparingly } from '../../src/lib/sparing-reports.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the first event is reported at once, those of each following minute together, and none is lost', () => {
  const reports: number[] = [];
  const happen = reportSparingly((events) => void reports.push(events));
  for (let times = 0; times < 5; times += 1) happen();
  expect(reports).toEqual([1]);
  vi.advanceTimersByTime(60_000);
  expect(reports).toEqual([1, 4]);
  happen();
  expect(reports).toEqual([1, 4]);
  vi.advanceTimersByTime(60_000);
  expect(reports).toEqual([1, 4, 1]);
  vi.advanceTimersByTime(300_000);
  expect([reports, vi.getTimerCount()]).toEqual([[1, 4, 1], 0]);
  happen();
  expect(reports).toEqual([1, 4, 1, 1]);
});

test('several are reported at once if so many may be', () => {
  const reports: number[] = [];
  const happen = reportSparingly((events) => void reports.push(events), 3);
  for (let times = 0; times < 5; times += 1) happen();
  expect(reports).toEqual([1, 1, 1]);
  vi.advanceTimersByTime(60_000);
  expect(reports).toEqual([1, 1, 1, 2]);
  for (let times = 0; times < 3; times += 1) happen();
  expect(reports).toEqual([1, 1, 1, 2, 1, 1]);
  vi.advanceTimersByTime(120_000);
  expect([reports, vi.getTimerCount()]).toEqual([[1, 1, 1, 2, 1, 1, 1], 0]);
});
