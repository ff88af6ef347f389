/** A job that runs at an interval, and does not keep the process alive. */

export interface Repeated {
  /** Runs the job now as well, unless it is running. */
  now(): void;
  /** Runs the job no more. Resolves when a run in progress has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `job` at an interval, and never twice at once: a time that comes while it is running is skipped.
 * @param job must not reject: it reports its own failures.
 * @param milliseconds the interval.
 */
export function repeat(job: () => Promise<void>, milliseconds: number): Repeated {
  let running: Promise<void> | undefined;
  const now = (): void => {
    running ??= job().finally(() => {
      running = undefined;
    });
  };
  const timer = setInterval(now, milliseconds).unref();
  return {
    now,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
