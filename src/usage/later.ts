/**
 * What can be done a moment later, and all of that moment in a row. What is made of an exchange once it is over (what
 * it took, what it cost, its line in the log, its place in metrics and store) takes a quarter of the time so that it
 * takes between two requests, whose code it drives out of the processor's caches (measured).
 */

export interface Later {
  /** Takes what is to be done. It must not throw. */
  readonly add: (task: () => void) => void;
  /** Does at once what waits. */
  flush(): void;
}

/** Milliseconds: what a crash may lose beside what is lost behind it. */
const DELAY = 20;

export function openLater(delay = DELAY): Later {
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const tasks = waiting;
    waiting = [];
    for (const task of tasks) task();
  }

  return {
    add(task) {
      waiting.push(task);
      timer ??= setTimeout(flush, delay).unref();
    },
    flush,
  };
}
