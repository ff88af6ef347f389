import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NO_SLOT } from '../../src/lib/slot-set.ts';
import { openTimeoutClock } from '../../src/upstream/timeout-clock.ts';

const LIMITS = { firstByte: 800, idle: 400, quiet: 1_600, total: 0 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('ticks while anything is watched, and stops when nothing is', () => {
  const clock = openTimeoutClock(LIMITS);
  let ticks = 0;
  const watched = {
    slot: NO_SLOT,
    tick() {
      ticks += 1;
    },
  };
  expect(vi.getTimerCount()).toBe(0);
  clock.watch(watched);
  vi.advanceTimersByTime(500);
  expect(ticks).toBe(10);
  clock.forget(watched);
  vi.advanceTimersByTime(500);
  expect(ticks).toBe(10);
  expect(vi.getTimerCount()).toBe(0);
  clock.watch(watched);
  vi.advanceTimersByTime(50);
  expect(ticks).toBe(11);
  clock.close();
  expect(vi.getTimerCount()).toBe(0);
});

test('uses one timer, however many are watched', () => {
  const clock = openTimeoutClock(LIMITS);
  for (let at = 0; at < 1_000; at += 1) clock.watch({ slot: NO_SLOT, tick: () => undefined });
  expect(vi.getTimerCount()).toBe(1);
  clock.close();
});

test('a limit of 0 means no limit', () => {
  expect(openTimeoutClock(LIMITS).limits.total).toBe(Number.POSITIVE_INFINITY);
});

test('the time in which the process was suspended does not count as waiting', () => {
  const clock = openTimeoutClock(LIMITS);
  clock.watch({ slot: NO_SLOT, tick: () => undefined });
  vi.advanceTimersByTime(100);
  const before = clock.now;
  const real = performance.now.bind(performance);
  const stopped = vi.spyOn(performance, 'now').mockImplementation(() => real() + 3_600_000);
  vi.advanceTimersByTime(50);
  expect(clock.now - before).toBeLessThanOrEqual(100);
  stopped.mockRestore();
  clock.close();
});
