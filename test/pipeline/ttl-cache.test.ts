import { expect, test } from 'vitest';
import { openTtlCache } from '../../src/lib/ttl-cache.ts';

test('as many kinds are remembered as there may be, those that were said last', () => {
  const cache = openTtlCache<number>(() => 0);
  for (let kind = 0; kind < 10_000; kind++) cache.set(`${kind}`, kind);
  cache.set('0', -1);
  cache.set('one more', 1);
  expect(['0', '1', '2', 'one more'].map((kind) => cache.get(kind))).toEqual([-1, undefined, 2, 1]);
});
