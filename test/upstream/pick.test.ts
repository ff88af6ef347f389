import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pick } from '../../src/upstream/pool/pick.ts';

interface Member {
  readonly weight: number;
  inFlight: number;
  credit: number;
}

const weight = fc.double({ min: 0.1, max: 100, noNaN: true });
const member = fc.record({ weight, inFlight: fc.nat(50), credit: fc.constant(0) });

/** How many exchanges of the lightest its own are worth. */
const loadAmong =
  (members: readonly Member[]) =>
  (one: Member): number =>
    one.inFlight * (Math.min(...members.map((each) => each.weight)) / one.weight);

test('law: no candidate is less busy for its weight than the chosen one, but for a part of an exchange', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(member, fc.boolean()), { maxLength: 12 }), (all) => {
      const members = all.map(([one]) => ({ ...one }));
      const fitting = new Set(members.filter((_, at) => all[at]?.[1]));
      const chosen = pick(members, (one) => fitting.has(one));
      expect(chosen !== undefined).toBe(fitting.size > 0);
      if (chosen === undefined) return;
      expect(fitting.has(chosen)).toBe(true);
      const load = loadAmong(members);
      for (const other of fitting)
        expect(Math.floor(load(chosen))).toBeLessThanOrEqual(Math.floor(load(other)));
    }),
  );
});

test('law: of equal weights, no candidate is less busy than the chosen one', () => {
  const alike = fc.array(fc.tuple(fc.nat(50), fc.boolean()), { maxLength: 12 });
  fc.assert(
    fc.property(alike, weight, (all, each) => {
      const members = all.map(([inFlight]) => ({ weight: each, inFlight, credit: 0 }));
      const fitting = members.filter((_, at) => all[at]?.[1]);
      const chosen = pick(members, (one) => fitting.includes(one));
      for (const other of fitting) expect(chosen?.inFlight).toBeLessThanOrEqual(other.inFlight);
    }),
  );
});

test('law: exchanges that do not end are spread by weight, each with less than one too many', () => {
  fc.assert(
    fc.property(fc.array(weight, { minLength: 1, maxLength: 6 }), fc.nat(200), (weights, count) => {
      const members: Member[] = weights.map((each) => ({ weight: each, inFlight: 0, credit: 0 }));
      for (let at = 1; at <= count; at += 1) {
        const chosen = pick(members, () => true);
        if (chosen !== undefined) chosen.inFlight += 1;
      }
      const load = loadAmong(members);
      const loads = members.map(load);
      expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(2);
      expect(members.reduce((total, one) => total + one.inFlight, 0)).toBe(count);
    }),
  );
});

test('a quotient of two equal weights is one', () => {
  const weight = 54.86212745337467;
  expect(Math.floor((41 * weight) / weight)).toBe(40);
  const members = [41, 41, 43, 40, 43].map((inFlight) => ({ weight, inFlight, credit: 0 }));
  expect(pick(members, () => true)?.inFlight).toBe(40);
});

test('equal candidates take turns', () => {
  const members = [1, 2, 3].map(() => ({ weight: 1, inFlight: 0, credit: 0 }));
  const picks = Array.from({ length: 6 }, () => pick(members, () => true));
  expect(picks.map((one) => one && members.indexOf(one))).toEqual([0, 1, 2, 0, 1, 2]);
});

test('one exchange at a time: each gets its share', () => {
  const members = [5, 3, 1].map((each) => ({ weight: each, inFlight: 0, credit: 0 }));
  const picks = Array.from({ length: 90 }, () => pick(members, () => true));
  expect(members.map((one) => picks.filter((each) => each === one).length)).toEqual([50, 30, 10]);
});

test('two at a time: a light one gets its share, and a slow one of many is passed over', () => {
  const members: Member[] = [9, 1].map((each) => ({ weight: each, inFlight: 0, credit: 0 }));
  const picks: (Member | undefined)[] = [];
  for (let at = 0; at < 100; at += 1) {
    const chosen = pick(members, () => true);
    const ended = picks.at(-1);
    picks.push(chosen);
    if (chosen !== undefined) chosen.inFlight += 1;
    if (ended !== undefined) ended.inFlight -= 1;
  }
  expect(members.map((one) => picks.filter((each) => each === one).length)).toEqual([91, 9]);

  const [slow, quick, light] = [
    { weight: 100, inFlight: 90, credit: 0 },
    { weight: 100, inFlight: 2, credit: 0 },
    { weight: 1, inFlight: 0, credit: 0 },
  ];
  const next = Array.from({ length: 20 }, () => pick([slow, quick, light], () => true));
  expect(next).not.toContain(slow);
});
