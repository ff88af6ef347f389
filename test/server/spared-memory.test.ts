/** Memory is not read for requests that a shortage of it would not refuse: to read it takes 40 µs of a lone request. */

import { expect, test, vi } from 'vitest';
import type { Shortage } from '../../src/pipeline/exchange.ts';
import { SPARED, shortageAt } from '../../src/pipeline/shed-load.ts';
import { ShortageWatch } from '../../src/server/process/shortage.ts';

const readings = vi.hoisted(() => ({ count: 0 }));
vi.mock(import('node:v8'), async (load) => {
  const v8 = await load();
  return {
    ...v8,
    getHeapSpaceStatistics() {
      readings.count += 1;
      return v8.getHeapSpaceStatistics();
    },
  };
});

test('of a shortage of memory the first few requests in flight are spared, and others are not', () => {
  const given: unknown[] = [];
  const at = (inFlight: number, short: Shortage | undefined): Shortage | undefined =>
    shortageAt({
      inFlight: () => inFlight,
      shortage(isSpared) {
        given.push(isSpared);
        return short;
      },
    });
  expect([at(SPARED, 'memory'), at(SPARED, 'event-loop'), at(SPARED + 1, 'memory')]).toEqual([
    undefined,
    'event-loop',
    'memory',
  ]);
  expect(given).toEqual([true, true, false]);
});

test('the watch reads memory for those alone that are not spared, and reports what the last reading was', () => {
  let mark = 1;
  const watch = new ShortageWatch({
    marks: () => ({ eventLoopDelay: 600_000, memory: mark, fileDescriptors: 1 }),
    onLowMemory() {},
    onCriticalMemory() {},
    onFewDescriptors() {},
  });
  try {
    expect(watch.current(true)).toBeUndefined();
    expect(readings.count).toBe(0);
    expect(watch.current()).toBeUndefined();
    expect(readings.count).toBe(1);
    mark = 0;
    expect(watch.current(true)).toBe('memory');
    expect(readings.count).toBe(1);
  } finally {
    watch.stop();
  }
});
