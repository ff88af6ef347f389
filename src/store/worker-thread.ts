/** Starts a thread of the program's own. */

import { Worker } from 'node:worker_threads';

/**
 * @param from `import.meta.url` of the module that starts it.
 * @param name of the module it runs, beside that one, without its ending.
 * @param workerData what it is given: plain data.
 */
export function startWorkerThread(from: string, name: string, workerData: unknown): Worker {
  // The compiled program's modules end in .js, and nothing rewrites a URL.
  const ending = from.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./${name}.${ending}`, from), { workerData });
}
