/** Starts one of the program's own threads. */

import { Worker } from 'node:worker_threads';
import { exposeCollector } from './release-heap.ts';

/**
 * The most that a thread's young generation may take, in MB. V8's own limit is 48. With 4, the accounting under load
 * collects garbage a quarter of its time, because rows live until their batch is written; with 16, it takes as little CPU
 * as with 48, and the process no more memory than with 4 (measured).
 */
const YOUNG_GENERATION = 16;

/**
 * Starts a thread, whose module may call `releaseOnceStarted`.
 * @param from `import.meta.url` of the module that starts the thread.
 * @param name the name of the module to run, in the same folder, without its extension.
 * @param workerData plain data for the thread.
 */
export function startWorkerThread(from: string, name: string, workerData: unknown): Worker {
  // The compiled program's modules end in .js, and the compiler does not rewrite URLs.
  const ending = from.endsWith('.ts') ? 'ts' : 'js';
  exposeCollector();
  return new Worker(new URL(`./${name}.${ending}`, from), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
  });
}
