/** Starts one of the program's own threads. */

import { Worker } from 'node:worker_threads';

/**
 * The most that a thread's young generation may take, in MB. V8's own limit is 48; with it two threads under load take
 * 50 MB more of the system, and are no faster (measured).
 */
const YOUNG_GENERATION = 4;

/**
 * @param from `import.meta.url` of the module that starts the thread.
 * @param name the name of the module to run, in the same folder, without its extension.
 * @param workerData plain data for the thread.
 */
export function startWorkerThread(from: string, name: string, workerData: unknown): Worker {
  // The compiled program's modules end in .js, and the compiler does not rewrite URLs.
  const ending = from.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./${name}.${ending}`, from), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
  });
}
