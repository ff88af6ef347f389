/** What `promise` gives, or undefined where that takes longer than `milliseconds`. @throws what `promise` throws in that time. */
export async function withTimeout<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const held = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  return Promise.race([promise, held]).finally(() => clearTimeout(timer));
}
