/** So many at a time; whoever comes while all seats are taken waits for one, in turn. */

export interface Semaphore {
  take(): Promise<void>;
  free(): void;
}

/** @param count how many there are, all of them free. */
export function openSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = [];
  let left = count;
  return {
    async take() {
      if (left === 0) return new Promise<void>((resolve) => waiting.push(resolve));
      left -= 1;
    },
    free() {
      const next = waiting.shift();
      if (next === undefined) left += 1;
      else next();
    },
  };
}
