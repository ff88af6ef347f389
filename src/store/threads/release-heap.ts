/** Gives the memory that a thread's heap holds for garbage back to the system. Each thread has a heap of its own. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** When a thread releases what its start has left, in milliseconds. */
const AFTER_START = 3_000;

/** Prepares the main thread. @returns a function that collects all its garbage now. */
export function heapRelease(): () => void {
  exposeCollector();
  // Only contexts that are made after the flag was set have the function.
  const gc: NodeJS.GCFunction = runInNewContext('gc');
  return () => collect(gc);
}

/** Lets threads that are started from now on call V8's collector. */
export function exposeCollector(): void {
  setFlagsFromString('--expose-gc');
}

/**
 * Collects this thread's garbage once it has started. At rest it would stay: the threads of SQLite allocate too little
 * for a collection, and prepared statements live until one. The timer does not keep the thread alive.
 */
export function releaseOnceStarted(): void {
  const { gc } = globalThis;
  if (gc !== undefined) setTimeout(() => collect(gc), AFTER_START).unref();
}

/** V8's own collection of last resort. Any other one, that of the inspector included, keeps the empty pages (measured). */
function collect(gc: NodeJS.GCFunction): void {
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
