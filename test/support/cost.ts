/**
 * Measures how many times as much processor time `run` takes for four times the size: 4 if the cost is linear, 16 if it
 * is quadratic. Takes the least of several runs, since other load on the machine can only make a run more expensive, and
 * of further ones as long as that looks like more than linear.
 */
export function growthOf(run: (size: number) => void, size: number): number {
  let [small, large, growth] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let look = 0; look < LOOKS && growth >= SQUARE; look += 1) {
    // One run of the larger input is enough if it shows that the cost is linear, as it nearly always does.
    large = Math.min(
      large,
      leastCost(() => run(4 * size), look === 0 ? 1 : 5),
    );
    small = Math.min(
      small,
      leastCost(() => run(size), 5),
    );
    growth = large / Math.max(LEAST, small);
  }
  return growth;
}

/** Less than this cannot be told from nothing, in microseconds. What is quadratic costs far more. */
const LEAST = 500;

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

/** What a busy machine and a garbage collection can add to a run that costs next to nothing, in microseconds. */
const NOISE = 30_000;

/**
 * Runs of the larger input before its cost is believed: other load on the machine only ever makes a run more expensive.
 */
const LOOKS = 12;

/**
 * Checks the cost of `run`: four times the size must cost at most five times as much. Returns what is wrong, or
 * undefined.
 * @param prepare makes the input; its cost is not counted.
 * @param most how many times as much it may cost instead.
 */
export function excessOf<T>(
  prepare: (size: number) => T,
  run: (input: T) => void,
  size: number,
  most = 5,
): string | undefined {
  const [small, large] = [prepare(size), prepare(4 * size)];
  const base = leastCost(() => run(small), 2);
  let cost = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS && cost > most * base + NOISE; look += 1) {
    cost = Math.min(
      cost,
      leastCost(() => run(large), 1),
    );
  }
  return cost <= most * base + NOISE ? undefined : `${size}: ${base} µs, ${4 * size}: ${cost} µs`;
}

/** A ratio below this is linear growth, not quadratic. */
export const SQUARE = 8;
