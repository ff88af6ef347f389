/** A counting semaphore: when all permits are taken, callers wait for one in turn. */

export interface Semaphore {
  take(): Promise<void>;
  free(): void;
}

/**
 * @param count the number of permits, all free
 * @returns the semaphore; `take` resolves when a permit is free, and `free` gives one back
 */
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
