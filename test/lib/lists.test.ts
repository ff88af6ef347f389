import { expect, test } from 'vitest';
import { joinLists, keepItems, mapItems } from '../../src/lib/lists.ts';

test('a list of which nothing changes is the same list', () => {
  const list = [1, 2, 3];
  expect(mapItems(list, (item) => item)).toBe(list);
  expect(keepItems(list, (item) => item > 0)).toBe(list);
  expect(joinLists([list])).toBe(list);
});

test('items change, are left out and keep their order', () => {
  const list = [1, 2, 3, 4];
  expect(mapItems(list, (item, at) => (at === 1 ? 20 : item))).toEqual([1, 20, 3, 4]);
  expect(mapItems(list, (item) => (item % 2 === 0 ? undefined : item))).toEqual([1, 3]);
  expect(mapItems(list, (item) => (item === 1 ? undefined : item * 2))).toEqual([4, 6, 8]);
  expect(keepItems(list, (item) => item > 2)).toEqual([3, 4]);
  expect(keepItems(list, () => false)).toEqual([]);
  expect(joinLists([[1], [], [2, 3]])).toEqual([1, 2, 3]);
  expect(joinLists([])).toEqual([]);
  expect(list).toEqual([1, 2, 3, 4]);
});
