import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effort } from '../../src/conversation/prompt.ts';
import {
  asEffort,
  budgetFor,
  effortFor,
  isThinkingOff,
  nearestEffort,
  toBudget,
  toEffort,
} from '../../src/conversation/rules/effort.ts';

const WIDE = { min: 0, max: 1_000_000 };
const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

describe('words and budgets', () => {
  it.each([
    [0, 'none'],
    [1, 'low'],
    [4096, 'low'],
    [4097, 'medium'],
    [16_384, 'medium'],
    [16_385, 'high'],
    [200_000, 'high'],
  ] as const)('%i tokens are %s', (budget, effort) => {
    expect(toEffort(budget)).toBe(effort);
  });

  it.each([
    ['none', 0],
    ['minimal', 512],
    ['low', 1024],
    ['medium', 8192],
    ['high', 24_576],
    ['xhigh', 32_768],
    ['max', 1_000_000],
  ] as const)('%s is %i tokens', (effort, budget) => {
    expect(toBudget(effort, WIDE)).toBe(budget);
  });

  it.each(['none', 'low', 'medium', 'high'] as const)('%s comes back from its budget', (effort) => {
    expect(toEffort(toBudget(effort, WIDE))).toBe(effort);
  });

  it('stays within the limits of the model', () => {
    expect(toBudget('minimal', { min: 1024, max: 32_000 })).toBe(1024);
    expect(toBudget('xhigh', { min: 0, max: 24_576 })).toBe(24_576);
    expect(toBudget('max', { min: 0, max: 24_576 })).toBe(24_576);
  });

  it('reads a word in any case', () => {
    expect(asEffort('HIGH')).toBe('high');
    expect(asEffort('enormous')).toBeUndefined();
  });
});

describe('the nearest word', () => {
  it.each([
    ['medium', ['low', 'medium', 'high'], 'medium'],
    ['medium', ['low', 'high'], 'low'],
    ['minimal', ['low', 'high'], 'low'],
    ['max', ['low', 'medium', 'high', 'xhigh'], 'xhigh'],
    ['none', ['minimal', 'low'], 'minimal'],
  ] as const)('to %s among %j is %s', (asked, supported, found) => {
    expect(nearestEffort(asked, supported)).toBe(found);
  });

  it('of an empty list is undefined', () => {
    expect(nearestEffort('low', [])).toBeUndefined();
  });

  it('is always a supported one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...EFFORTS),
        fc.subarray([...EFFORTS], { minLength: 1 }),
        (asked, supported) => {
          const found = nearestEffort(asked, supported);
          expect(supported).toContain(found);
          if (supported.includes(asked)) expect(found).toBe(asked);
        },
      ),
    );
  });
});

describe('the setting for a model', () => {
  const words = { efforts: ['low', 'medium', 'high'], canDisable: false } as const;
  const tokens = { efforts: [], budget: { min: 128, max: 32_768 }, canDisable: false } as const;

  it('turns a budget into a word and a word into a budget', () => {
    expect(effortFor({ budget: 10_000 }, words)).toBe('medium');
    expect(budgetFor({ effort: 'high' }, tokens)).toBe(24_576);
  });

  it('is undefined if nothing was asked or the model decides', () => {
    for (const thinking of [{}, { adaptive: true }, { visible: true }]) {
      expect(effortFor(thinking, words)).toBeUndefined();
      expect(budgetFor(thinking, tokens)).toBeUndefined();
    }
  });

  it('is undefined in terms that the model does not take', () => {
    expect(budgetFor({ effort: 'low' }, words)).toBeUndefined();
    expect(effortFor({ budget: 4000 }, tokens)).toBeUndefined();
  });

  it('switches thinking off if the model can, else sets it to the lowest', () => {
    expect(effortFor({ effort: 'none' }, words)).toBe('low');
    expect(effortFor({ budget: 0 }, { ...words, canDisable: true })).toBe('none');
    expect(budgetFor({ effort: 'none' }, tokens)).toBe(128);
    expect(budgetFor({ budget: 0 }, { ...tokens, canDisable: true })).toBe(0);
  });

  it('lets a model with only one word think if thinking was asked for', () => {
    const switched = { efforts: ['none', 'high'], canDisable: true } as const;
    expect(effortFor({ effort: 'low' }, switched)).toBe('high');
    expect(effortFor({ effort: 'medium' }, switched)).toBe('high');
    expect(effortFor({ budget: 2048 }, switched)).toBe('high');
    expect(effortFor({ effort: 'minimal' }, switched)).toBe('none');
  });

  it('keeps the caller’s budget, within the limits', () => {
    expect(budgetFor({ budget: 5000, effort: 'high' }, tokens)).toBe(5000);
    expect(budgetFor({ budget: 99_999 }, tokens)).toBe(32_768);
    expect(budgetFor({ budget: 1 }, tokens)).toBe(128);
  });

  it('tells when thinking is off', () => {
    expect(isThinkingOff({ effort: 'none' })).toBe(true);
    expect(isThinkingOff({ budget: 0 })).toBe(true);
    expect(isThinkingOff({ effort: 'low', budget: 0 })).toBe(false);
    expect(isThinkingOff({ adaptive: true })).toBe(false);
    expect(isThinkingOff({})).toBe(false);
  });
});
