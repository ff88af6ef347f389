/** A job that runs at an interval, and does not keep the process alive. */

export interface Repeated {
  /** Runs the job now as well, unless it is running. */
  now(): void;
  stop(): void;
}

/**
 * Runs `job` at an interval, and never twice at once: a time that comes while it is running is skipped.
 * @param job must not reject: it reports its own failures.
 * @param milliseconds the interval.
 */
export function repeat(job: () => Promise<void>, milliseconds: number): Repeated {
  let isRunning = false;
  const now = (): void => {
    if (isRunning) return;
    isRunning = true;
    void job().finally(() => {
      isRunning = false;
    });
  };
  const timer = setInterval(now, milliseconds).unref();
  return { now, stop: () => clearInterval(timer) };
}
