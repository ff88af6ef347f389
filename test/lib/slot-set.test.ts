import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slotSet } from '../../src/lib/slot-set.ts';

test('holds each value that was added and not removed, once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 30 })), (steps) => {
      const kept = slotSet<number>();
      const taken: (() => void)[] = [];
      const expected = new Set<number>();
      for (const [at, step] of steps.entries()) {
        const take = step < taken.length ? taken[step] : undefined;
        if (take === undefined) {
          taken.push(kept.add(taken.length));
          expected.add(taken.length - 1);
        } else {
          take();
          expected.delete(step);
        }
        expect(kept.size, `after step ${at}`).toBe(expected.size);
      }
      expect(new Set(kept)).toEqual(expected);
      expect([...kept]).toHaveLength(expected.size);
    }),
  );
});

test('values can be removed during iteration', () => {
  const kept = slotSet<string>();
  const takeA = kept.add('a');
  const takeB = kept.add('b');
  const seen: string[] = [];
  for (const item of kept) {
    seen.push(item);
    takeA();
    takeB();
  }
  expect(seen).toEqual(['a', 'b']);
  expect(kept.size).toBe(0);
});
