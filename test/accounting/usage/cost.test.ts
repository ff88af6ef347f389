import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeConsumption } from '../../../src/accounting/usage/consumption.ts';
import { computeCost, isSane, MAX_TOKENS, saneDollars } from '../../../src/accounting/usage/cost.ts';
import { findPrices } from '../../../src/catalog/prices-at.ts';
import { exchange } from './records.ts';

const CLAUDE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWriteHour: 6 };
const PLAIN = { input: 2, output: 8 };
const TIERED = { ...PLAIN, cacheRead: 0.2, long: { above: 200_000, input: 4, output: 12 } };
const MILLION = 1_000_000;

describe('the cost of a request', () => {
  test.each([
    [{ input: MILLION, output: MILLION }, PLAIN, 10],
    [{ input: 1000, output: 0 }, PLAIN, 0.002],
    [{ output: 1000 }, PLAIN, 0.008],
    // Searches are billed by the thousand, if they have a price.
    [{ input: 1000, searches: 3 }, { ...PLAIN, searches: 10 }, 0.032],
    [{ input: 1000, searches: 3 }, PLAIN, 0.002],
    [{ input: 1000 }, { ...PLAIN, searches: 10 }, 0.002],
    // Reasoning is part of the output, and billed as such.
    [{ input: 0, output: MILLION, reasoning: MILLION }, PLAIN, 8],
    // Every input token is billed once, at the price of how it was read.
    [{ input: MILLION, cacheRead: MILLION }, CLAUDE, 0.3],
    [{ input: MILLION, cacheRead: 400_000, cacheWrite: 100_000 }, CLAUDE, 0.5 * 3 + 0.4 * 0.3 + 0.1 * 3.75],
    [{ input: MILLION, cacheWrite: MILLION, cacheWriteHour: 400_000 }, CLAUDE, 0.6 * 3.75 + 0.4 * 6],
    // An unknown price is replaced by the most similar known one.
    [{ input: MILLION, cacheRead: 500_000, cacheWrite: 500_000 }, PLAIN, 2],
    [{ input: MILLION, cacheWrite: MILLION, cacheWriteHour: MILLION }, { ...PLAIN, cacheWrite: 2.5 }, 2.5],
    // Above a certain length, the whole request is billed at the long prompt prices; a kind of token without
    // a price of its own is billed as input.
    [{ input: 200_000, output: 1000, cacheRead: 100_000 }, TIERED, 0.1 * 2 + 0.1 * 0.2 + 0.001 * 8],
    [{ input: 200_001, output: 1000, cacheRead: 100_000 }, TIERED, 0.200001 * 4 + 0.001 * 12],
    // A vendor that counts cached input separately from input gets no credit for it.
    [{ input: 0, cacheRead: MILLION }, CLAUDE, 0.3],
  ])('%j at %j: %d dollars', (usage, prices, dollars) => {
    expect(computeCost(usage, prices)).toBeCloseTo(dollars, 12);
  });

  test('at another service tier the cost is a multiple, also for long prompts', () => {
    const tiered = { ...TIERED, tiers: { flex: 0.5, us: 1.1 } };
    const usage = { input: 200_001, output: 1000 };
    const standard = computeCost(usage, tiered) ?? Number.NaN;
    expect(computeCost(usage, tiered, ['flex'])).toBeCloseTo(0.5 * standard, 12);
    expect(computeCost(usage, tiered, ['flex', 'us'])).toBeCloseTo(0.55 * standard, 12);
    expect(computeCost(usage, tiered, ['fast'])).toBe(standard);
  });

  test('prices depend on the day: higher ones, other tiers, and none for long prompts', () => {
    const last = { input: 3, output: 9, tiers: { flex: 0.25 } };
    const next = { ...PLAIN, later: { from: '2027-01-01', prices: last } };
    const prices = { ...TIERED, tiers: { flex: 0.5 }, later: { from: '2026-12-01', prices: next } };
    const usage = { input: 200_001, output: 1000 };
    const dollarsAt = (time: string): number =>
      computeCost(usage, findPrices(prices, Date.parse(time)), ['flex']) ?? Number.NaN;
    expect(dollarsAt('2026-11-30T23:59:59.999Z')).toBeCloseTo((0.200001 * 4 + 0.001 * 12) / 2, 12);
    expect(dollarsAt('2026-12-01T00:00:00Z')).toBeCloseTo(computeCost(usage, PLAIN) ?? Number.NaN, 12);
    expect(dollarsAt('2026-12-31T23:59:59.999Z')).toBe(dollarsAt('2026-12-01T00:00:00Z'));
    expect(dollarsAt('2027-01-01T00:00:00Z')).toBeCloseTo((0.200001 * 3 + 0.001 * 9) / 4, 12);
    // The very same object each time: records tell prices apart by identity.
    expect(findPrices(prices, Date.parse('2030-01-01'))).toBe(last);
    expect(findPrices(CLAUDE, 0)).toBe(CLAUDE);
  });

  test('a request without usage is not free', () => {
    expect(computeCost({}, PLAIN)).toBeUndefined();
    expect(computeCost({ cacheRead: 5 }, PLAIN)).toBeUndefined();
    expect(computeCost({ input: 0, output: 0 }, PLAIN)).toBe(0);
  });

  test.each(['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteHour', 'searches'])(
    'an impossible figure for %s causes no cost, and nothing that limits count or refund',
    (field) => {
      for (const count of [-1, -MILLION, 2e9, Number.NaN]) {
        const usage = { input: 1_000, output: 1_000, [field]: count };
        const cost = computeCost(usage, { ...CLAUDE, searches: 10 });
        expect(cost).toBeUndefined();
        expect(computeConsumption(exchange({ usage, cost }))).toBeUndefined();
      }
    },
  );

  test('more tokens never cost less', () => {
    const count = fc.nat(MILLION);
    fc.assert(
      fc.property(count, count, count, count, count, (input, read, write, output, more) => {
        const usage = { input: input + read + write, cacheRead: read, cacheWrite: write, output };
        const before = computeCost(usage, CLAUDE) ?? Number.NaN;
        for (const field of ['input', 'output'] as const) {
          const after = computeCost({ ...usage, [field]: usage[field] + more }, CLAUDE) ?? Number.NaN;
          expect(after).toBeGreaterThanOrEqual(before);
        }
        expect(before).toBeLessThanOrEqual((usage.input * 6 + output * 15) / MILLION + 1e-9);
      }),
    );
  });
});

test.each([
  [undefined, undefined],
  [0, undefined],
  [-1, undefined],
  [0.000_001, 0.000_001],
  [9_999.99, 9_999.99],
  [10_000, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
])('a vendor that reports %s dollars is taken to mean %s', (told, taken) => {
  expect(saneDollars(told)).toBe(taken);
});

test.each(['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteHour', 'searches'] as const)(
  '%s is a count, and no higher than a vendor can have counted',
  (figure) => {
    expect(isSane({ [figure]: 0 })).toBe(true);
    expect(isSane({ [figure]: MAX_TOKENS })).toBe(true);
    expect(isSane({ [figure]: MAX_TOKENS + 1 })).toBe(false);
    expect(isSane({ [figure]: -1 })).toBe(false);
  },
);
