/**
 * Waits for `promise`, but no longer than `milliseconds`.
 * @returns its value, or undefined if it takes longer.
 * @throws what `promise` rejects with in that time.
 */
export async function withTimeout<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const held = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  return Promise.race([promise, held]).finally(() => clearTimeout(timer));
}
