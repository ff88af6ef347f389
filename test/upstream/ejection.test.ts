import { describe, expect, test } from 'vitest';
import {
  computeHealth,
  fail,
  isEjected,
  isUsable,
  readmit,
  succeed,
} from '../../src/upstream/pool/ejection.ts';

const LIMITS = { failures: 5, share: 0.5, requests: 20, window: 30_000, duration: 30_000, longest: 300_000 };
/** No jitter. */
const EVEN = (): number => 0.5;

const failAt = (health: ReturnType<typeof computeHealth>, now: number, spare = true, atLeast = 0): boolean =>
  fail(health, LIMITS, now, { caller: 'x', spare, atLeast }, EVEN);

describe('consecutive failures', () => {
  test('five eject for the duration; then one request may probe', () => {
    const health = computeHealth(0);
    for (let at = 1; at <= 4; at += 1) failAt(health, at);
    expect(isUsable(health, 4, 'x')).toBe(true);
    failAt(health, 5);
    expect(isUsable(health, 5, 'x')).toBe(false);
    expect(isUsable(health, 30_004, 'x')).toBe(false);
    expect(isUsable(health, 30_005, 'x')).toBe(true);
    health.probing = true;
    expect(isUsable(health, 30_005, 'x')).toBe(false);
  });

  test('a success between them restarts the count', () => {
    const health = computeHealth(0);
    for (let round = 0; round < 4; round += 1) {
      for (let at = 0; at < 4; at += 1) failAt(health, round, false);
      succeed(health, LIMITS, round);
    }
    expect(isEjected(health)).toBe(false);
  });

  test('each immediate failure after readmission ejects for longer, up to the maximum', () => {
    const health = computeHealth(0);
    let now = 0;
    for (let at = 0; at < 5; at += 1) failAt(health, now);
    const waits: number[] = [];
    for (let at = 0; at < 12; at += 1) {
      waits.push(health.until - now);
      now = health.until;
      failAt(health, now);
    }
    expect(waits.slice(0, 4)).toEqual([30_000, 60_000, 90_000, 120_000]);
    expect(waits.at(-1)).toBe(300_000);
  });

  test('after a whole window without ejection, the shortest duration applies again', () => {
    const health = computeHealth(0);
    for (let at = 0; at < 5; at += 1) failAt(health, 0);
    readmit(health);
    succeed(health, LIMITS, 30_000);
    succeed(health, LIMITS, 61_000);
    for (let at = 0; at < 5; at += 1) failAt(health, 61_001);
    expect(health.until).toBe(91_001);
  });

  test('a request that began before an ejection and ends during it changes nothing', () => {
    const health = computeHealth(0);
    for (let at = 0; at < 5; at += 1) failAt(health, 0);
    const { until } = health;
    for (let at = 0; at < 50; at += 1) failAt(health, 10);
    succeed(health, LIMITS, 20);
    expect(health.until).toBe(until);
  });

  test('after readmission, one more failure ejects', () => {
    const health = computeHealth(0);
    for (let at = 0; at < 5; at += 1) failAt(health, 0);
    readmit(health);
    expect(isUsable(health, 1, 'x')).toBe(true);
    failAt(health, 30_001);
    expect(isEjected(health)).toBe(true);
  });

  test('0 never ejects', () => {
    const health = computeHealth(0);
    for (let at = 0; at < 100; at += 1)
      fail(health, { ...LIMITS, failures: 0, share: 1 }, 0, { caller: 'x', spare: true }, EVEN);
    expect(isEjected(health)).toBe(false);
  });
});

describe('failure rate', () => {
  /** Two failures and one success, `rounds` times. */
  const mix = (rounds: number, spare: boolean, pause = 0): ReturnType<typeof computeHealth> => {
    const health = computeHealth(0);
    for (let round = 0; round < rounds; round += 1) {
      failAt(health, round * pause, spare);
      failAt(health, round * pause, spare);
      succeed(health, LIMITS, round * pause);
    }
    return health;
  };
  test('ejects if there are enough requests', () => {
    expect(isEjected(mix(6, true))).toBe(false);
    expect(isEjected(mix(7, true))).toBe(true);
  });
  test('does not eject if too few other upstreams would be left', () => {
    expect(isEjected(mix(100, false))).toBe(false);
  });
  test('does not eject if the failures are spread over more than a window', () => {
    expect(isEjected(mix(100, true, 6_000))).toBe(false);
  });
});

describe('failures of one caller', () => {
  const ejected = (): ReturnType<typeof computeHealth> => {
    const health = computeHealth(0);
    for (let at = 1; at <= 5; at += 1) failAt(health, at);
    return health;
  };

  test('leave one request at a time to the others', () => {
    const health = ejected();
    expect(isUsable(health, 6, 'x')).toBe(false);
    expect(isUsable(health, 6, 'y')).toBe(true);
    health.probing = true;
    expect(isUsable(health, 6, 'y')).toBe(false);
  });

  test('and one of another caller eject it for all', () => {
    const health = ejected();
    fail(health, LIMITS, 6, { caller: 'y', spare: true }, EVEN);
    for (const caller of ['x', 'y', 'z']) expect(isUsable(health, 6, caller)).toBe(false);
    expect(health.until).toBe(30_005);
  });

  test('are forgotten with a success of another', () => {
    const health = ejected();
    readmit(health);
    succeed(health, LIMITS, 7);
    for (let at = 10; at <= 14; at += 1) fail(health, LIMITS, at, { caller: 'y', spare: true }, EVEN);
    expect(isUsable(health, 15, 'x')).toBe(true);
    expect(isUsable(health, 15, 'y')).toBe(false);
  });

  test('leave as much to the others if one is certain, and eject it for all with one of another caller', () => {
    const health = computeHealth(0);
    failAt(health, 0, true, 10_000);
    expect([isUsable(health, 1, 'x'), isUsable(health, 1, 'y')]).toEqual([false, true]);
    fail(health, LIMITS, 1, { caller: 'y', spare: true, atLeast: 10_000 }, EVEN);
    for (const caller of ['x', 'y', 'z']) expect(isUsable(health, 2, caller)).toBe(false);
  });
});

test('a certain failure ejects at once', () => {
  const health = computeHealth(0);
  failAt(health, 0, true, 10_000);
  expect(isUsable(health, 1, 'x')).toBe(false);
});

test('readmissions are spread: up to a tenth earlier or later', () => {
  const untils = [0, 0.5, 0.999].map((random) => {
    const health = computeHealth(0);
    for (let at = 0; at < 5; at += 1) fail(health, LIMITS, 0, { caller: 'x', spare: true }, () => random);
    return Math.round(health.until);
  });
  expect(untils).toEqual([27_000, 30_000, 32_994]);
});
