const RESOLVED = Promise.resolve();

/**
 * Runs `run` in a microtask: after the code that runs now, and before the event loop goes on. Node's `queueMicrotask` makes
 * an AsyncResource for each.
 */
export function inMicrotask(run: () => void): void {
  void RESOLVED.then(run);
}
