/** A job that is done every so often, and keeps no process alive. */

export interface Repeated {
  /** Does it now as well, unless it is being done. */
  now(): void;
  stop(): void;
}

/**
 * Does `job` every so many milliseconds, and never twice at once: a time that comes while it still runs is left out.
 * @param job tells itself what goes wrong: it never rejects.
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
