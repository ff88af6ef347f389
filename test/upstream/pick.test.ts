import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pick } from '../../src/upstream/pool/pick.ts';

const member = fc.record({ weight: fc.double({ min: 0.1, max: 100, noNaN: true }), inFlight: fc.nat(50) });

test('law: no candidate is less busy for its weight than the chosen one', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(member, fc.boolean()), { maxLength: 12 }), fc.nat(20), (all, from) => {
      const members = all.map(([one]) => one);
      const fitting = new Set(all.flatMap(([one, fits]) => (fits ? [one] : [])));
      const index = pick(members, from, (one) => fitting.has(one));
      const chosen = members[index];
      expect(chosen !== undefined).toBe(fitting.size > 0);
      if (chosen === undefined) return;
      expect(fitting.has(chosen)).toBe(true);
      const load = (one: { weight: number; inFlight: number }): number => (one.inFlight + 1) / one.weight;
      for (const other of fitting) expect(load(chosen)).toBeLessThanOrEqual(load(other));
    }),
  );
});

test('equal candidates take turns', () => {
  const members = [1, 2, 3].map(() => ({ weight: 1, inFlight: 0 }));
  const picks: number[] = [];
  let from = 0;
  for (let at = 0; at < 6; at += 1) {
    const index = pick(members, from, () => true);
    picks.push(index);
    from = index + 1;
  }
  expect(picks).toEqual([0, 1, 2, 0, 1, 2]);
});
