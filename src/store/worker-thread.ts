/** Starts one of the program's own threads. */

import { Worker } from 'node:worker_threads';
import { exposeCollector } from './release-heap.ts';

/**
 * The most that a thread's young generation may take within another program, in MB. V8's own limit is 48. It takes as
 * little CPU with 16. The gateway's own program bounds it by a flag (`cli/bound-memory.js`), which V8 prefers to this.
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
