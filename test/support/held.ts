/** The memory of this process. */

import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The bytes that this process holds after everything that can be freed is freed. */
export async function held(): Promise<number> {
  await collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The part of them that is in buffers, such as those of sockets. */
export async function arrayBuffersHeld(): Promise<number> {
  await collect();
  return process.memoryUsage().arrayBuffers;
}

/** Collects what is young, until what is not is in V8's old generation. */
export function collectYoung(): Promise<void> {
  return collect('minor');
}

/** Collects garbage: all of it, or what is young. */
export async function collect(which?: 'minor'): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc !== 'function') throw new TypeError('no collector');
  for (let round = 0; round < 4; round += 1) {
    // With any argument, even undefined, V8 collects less than without one.
    if (which === undefined) gc();
    else gc({ type: which });
    await sleep(20);
  }
}
