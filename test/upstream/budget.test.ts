import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeRetryBudget } from '../../src/upstream/pool/retry-budget.ts';

function clocked(limits: { share: number; perSecond: number }) {
  let now = 0;
  const budget = makeRetryBudget(limits, () => now);
  return { budget, pass: (milliseconds: number) => (now += milliseconds) };
}

test('begins full: with what ten seconds, or a hundred requests, add', () => {
  for (const [limits, held] of [
    [{ share: 0.1, perSecond: 3 }, 30],
    [{ share: 0.5, perSecond: 0 }, 50],
    [{ share: 0, perSecond: 0 }, 0],
  ] as const) {
    const { budget } = clocked(limits);
    let got = 0;
    while (budget.withdraw()) got += 1;
    expect(got).toBe(held);
  }
});

test('time and requests fill it', () => {
  const { budget, pass } = clocked({ share: 0.25, perSecond: 2 });
  while (budget.withdraw());
  for (let request = 0; request < 3; request += 1) budget.deposit();
  expect(budget.withdraw()).toBe(false);
  budget.deposit();
  expect(budget.withdraw()).toBe(true);
  pass(499);
  expect(budget.withdraw()).toBe(false);
  pass(1);
  expect(budget.withdraw()).toBe(true);
});

test('law: retries never exceed the share of requests, what time adds, and the initial amount', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('request' as const) }),
    fc.record({ kind: fc.constant('retry' as const) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(3_000) }),
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 300 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(10),
      (steps, share, perSecond) => {
        const { budget, pass } = clocked({ share, perSecond });
        let requests = 0;
        let retries = 0;
        let passed = 0;
        for (const each of steps) {
          if (each.kind === 'request') {
            budget.deposit();
            requests += 1;
          } else if (each.kind === 'pass') {
            pass(each.ms);
            passed += each.ms;
          } else if (budget.withdraw()) retries += 1;
        }
        const first = Math.max(perSecond * 10, share * 100);
        expect(retries).toBeLessThanOrEqual(first + share * requests + (passed / 1000) * perSecond + 1e-6);
      },
    ),
  );
});
