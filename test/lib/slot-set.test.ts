import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_SLOT, type SlotItem, SlotSet } from '../../src/lib/slot-set.ts';

interface Item extends SlotItem {
  readonly name: number;
}

const item = (name: number): Item => ({ name, slot: NO_SLOT });

test('holds each item that was added and not removed, once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 30 })), (steps) => {
      const kept = new SlotSet<Item>();
      const added: Item[] = [];
      const expected = new Set<Item>();
      for (const [at, step] of steps.entries()) {
        const known = added[step];
        if (known === undefined) {
          const next = item(at);
          added.push(next);
          kept.add(next);
          expected.add(next);
        } else {
          // Some for the second time, which has no effect.
          kept.remove(known);
          expected.delete(known);
        }
        expect(kept.size, `after step ${at}`).toBe(expected.size);
      }
      expect(new Set(kept)).toEqual(expected);
      expect([...kept]).toHaveLength(expected.size);
    }),
  );
});

test('items can be removed during iteration', () => {
  const kept = new SlotSet<Item>();
  const items = [item(0), item(1)];
  for (const each of items) kept.add(each);
  const seen: number[] = [];
  for (const { name } of kept) {
    seen.push(name);
    for (const each of items) kept.remove(each);
  }
  expect(seen).toEqual([0, 1]);
  expect(kept.size).toBe(0);
});
