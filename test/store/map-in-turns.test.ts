import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapInTurns } from '../../src/store/map-in-turns.ts';

test('long work gives way to everything else, and keeps its order', async () => {
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    while (!isOver) {
      await nextTurn();
      turns += 1;
    }
  })();
  const busy = (one: number): number => {
    for (const end = performance.now() + 1; performance.now() < end; );
    return one * 2;
  };
  const made = await mapInTurns(
    Array.from({ length: 60 }, (_, at) => at),
    busy,
  );
  isOver = true;
  await counting;
  expect(made).toEqual(Array.from({ length: 60 }, (_, at) => at * 2));
  expect(turns).toBeGreaterThanOrEqual(5);
});

test('work that fails ends with its error', async () => {
  const failing = mapInTurns([1], () => {
    throw new Error('No.');
  });
  await expect(failing).rejects.toThrow('No.');
});
