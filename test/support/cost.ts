/**
 * How many times as much processor time `run` takes for four times the size: 4 where it goes with the size, 16 where it
 * goes with its square. Of several runs each the least, since others on the machine can make one cost more, never less.
 */
export function growthOf(run: (size: number) => void, size: number): number {
  return leastCost(() => run(4 * size), 5) / leastCost(() => run(size), 5);
}

/** The least processor time of several runs, in microseconds. */
function leastCost(run: () => void, runs: number): number {
  return Math.min(
    ...Array.from({ length: runs }, () => {
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    }),
  );
}

/** What a busy machine and a collection of garbage can add to a run that costs next to nothing, in microseconds. */
const NOISE = 30_000;

/** Runs of the larger input before its cost is believed: others on the machine only ever make a run dearer. */
const LOOKS = 4;

/**
 * What is wrong with the cost of `run`: that four times the size costs more than five times as much. Undefined where it
 * does not.
 * @param prepare makes the input, which is not counted.
 */
export function excessOf<T>(
  prepare: (size: number) => T,
  run: (input: T) => void,
  size: number,
): string | undefined {
  const [small, large] = [prepare(size), prepare(4 * size)];
  const base = leastCost(() => run(small), 2);
  let cost = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS && cost > 5 * base + NOISE; look += 1) {
    cost = Math.min(
      cost,
      leastCost(() => run(large), 1),
    );
  }
  return cost <= 5 * base + NOISE ? undefined : `${size}: ${base} µs, ${4 * size}: ${cost} µs`;
}

/** Less than this grows with the size, and not with its square. */
export const SQUARE = 8;
