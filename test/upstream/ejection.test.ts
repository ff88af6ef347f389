import { describe, expect, test } from 'vitest';
import { Health } from '../../src/upstream/pool/ejection.ts';

const LIMITS = { failures: 5, share: 0.5, requests: 20, window: 30_000, duration: 30_000, longest: 300_000 };
/** No jitter. */
const EVEN = (): number => 0.5;

const failAt = (health: Health, now: number, spare = true, isSure = false): void =>
  health.fail(now, { caller: 'x', spare, isSure });

describe('consecutive failures', () => {
  test('five eject for the duration; then one request may probe', () => {
    const health = new Health(LIMITS, 0, EVEN);
    for (let at = 1; at <= 4; at += 1) failAt(health, at);
    expect(health.isUsable(4, 'x')).toBe(true);
    failAt(health, 5);
    expect(health.isUsable(5, 'x')).toBe(false);
    expect(health.isUsable(30_004, 'x')).toBe(false);
    expect(health.isUsable(30_005, 'x')).toBe(true);
    health.begin();
    expect(health.isUsable(30_005, 'x')).toBe(false);
  });

  test('a success between them restarts the count', () => {
    const health = new Health(LIMITS, 0, EVEN);
    for (let round = 0; round < 4; round += 1) {
      for (let at = 0; at < 4; at += 1) failAt(health, round, false);
      health.succeed(round);
    }
    expect(health.isEjected()).toBe(false);
  });

  test('each immediate failure after readmission ejects for longer, up to the maximum', () => {
    const health = new Health(LIMITS, 0, EVEN);
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
    const health = new Health(LIMITS, 0, EVEN);
    for (let at = 0; at < 5; at += 1) failAt(health, 0);
    health.readmit();
    health.succeed(30_000);
    health.succeed(61_000);
    for (let at = 0; at < 5; at += 1) failAt(health, 61_001);
    expect(health.until).toBe(91_001);
  });

  test('a request that began before an ejection and ends during it changes nothing', () => {
    const health = new Health(LIMITS, 0, EVEN);
    for (let at = 0; at < 5; at += 1) failAt(health, 0);
    const { until } = health;
    for (let at = 0; at < 50; at += 1) failAt(health, 10);
    health.succeed(20);
    expect(health.until).toBe(until);
  });

  test('after readmission, one more failure ejects', () => {
    const health = new Health(LIMITS, 0, EVEN);
    for (let at = 0; at < 5; at += 1) failAt(health, 0);
    health.readmit();
    expect(health.isUsable(1, 'x')).toBe(true);
    failAt(health, 30_001);
    expect(health.isEjected()).toBe(true);
  });

  test('0 never ejects', () => {
    const health = new Health({ ...LIMITS, failures: 0, share: 1 }, 0, EVEN);
    for (let at = 0; at < 100; at += 1) failAt(health, 0);
    expect(health.isEjected()).toBe(false);
  });
});

describe('failure rate', () => {
  /** Two failures and one success, `rounds` times. */
  const mix = (rounds: number, spare: boolean, pause = 0): Health => {
    const health = new Health(LIMITS, 0, EVEN);
    for (let round = 0; round < rounds; round += 1) {
      failAt(health, round * pause, spare);
      failAt(health, round * pause, spare);
      health.succeed(round * pause);
    }
    return health;
  };
  test('ejects if there are enough requests', () => {
    expect(mix(6, true).isEjected()).toBe(false);
    expect(mix(7, true).isEjected()).toBe(true);
  });
  test('does not eject if too few other upstreams would be left', () => {
    expect(mix(100, false).isEjected()).toBe(false);
  });
  test('does not eject if the failures are spread over more than a window', () => {
    expect(mix(100, true, 6_000).isEjected()).toBe(false);
  });
});

describe('failures of one caller', () => {
  const ejected = (): Health => {
    const health = new Health(LIMITS, 0, EVEN);
    for (let at = 1; at <= 5; at += 1) failAt(health, at);
    return health;
  };

  test('leave one request at a time to the others', () => {
    const health = ejected();
    expect(health.isUsable(6, 'x')).toBe(false);
    expect(health.isUsable(6, 'y')).toBe(true);
    health.begin();
    expect(health.isUsable(6, 'y')).toBe(false);
  });

  test('and one of another caller eject it for all', () => {
    const health = ejected();
    health.fail(6, { caller: 'y', spare: true });
    for (const caller of ['x', 'y', 'z']) expect(health.isUsable(6, caller)).toBe(false);
    expect(health.until).toBe(30_005);
  });

  test('are forgotten with a success of another', () => {
    const health = ejected();
    health.readmit();
    health.succeed(7);
    for (let at = 10; at <= 14; at += 1) health.fail(at, { caller: 'y', spare: true });
    expect(health.isUsable(15, 'x')).toBe(true);
    expect(health.isUsable(15, 'y')).toBe(false);
  });

  test('leave as much to the others if one is certain, and eject it for all with one of another caller', () => {
    const health = new Health(LIMITS, 0, EVEN);
    failAt(health, 0, true, true);
    expect([health.isUsable(1, 'x'), health.isUsable(1, 'y')]).toEqual([false, true]);
    health.fail(1, { caller: 'y', spare: true, isSure: true });
    for (const caller of ['x', 'y', 'z']) expect(health.isUsable(2, caller)).toBe(false);
  });
});

test('a certain failure ejects at once', () => {
  const health = new Health(LIMITS, 0, EVEN);
  failAt(health, 0, true, true);
  expect(health.isUsable(1, 'x')).toBe(false);
});

test('readmissions are spread: up to a tenth earlier or later', () => {
  const untils = [0, 0.5, 0.999].map((random) => {
    const health = new Health(LIMITS, 0, () => random);
    for (let at = 0; at < 5; at += 1) failAt(health, 0);
    return Math.round(health.until);
  });
  expect(untils).toEqual([27_000, 30_000, 32_994]);
});
