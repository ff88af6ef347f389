/** What a start says that takes long. */

/** Milliseconds after which a line in the log says what a start waits for. */
const SLOW = 5_000;

/** Awaits a value. @param say called once if it takes long. */
export function sayIfSlow<T>(value: Promise<T>, say: () => void): Promise<T> {
  const slow = setTimeout(say, SLOW).unref();
  return value.finally(() => clearTimeout(slow));
}
