/**
 * How many times as much processor time `run` takes for four times the size: 4 where it goes with the size, 16 where it
 * goes with its square. Of several runs each the least, since others on the machine can make one cost more, never less.
 */
export function growthOf(run: (size: number) => void, size: number): number {
  const leastOf = (each: number): number =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const before = process.cpuUsage();
        run(each);
        const { user, system } = process.cpuUsage(before);
        return user + system;
      }),
    );
  return leastOf(4 * size) / leastOf(size);
}

/** Less than this grows with the size, and not with its square. */
export const SQUARE = 8;
