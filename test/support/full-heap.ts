/** A gateway whose heap is reported fuller than it is, from one SIGUSR2 to the next. */

import { preload } from './preload.ts';
import type { ProcessOptions } from './process.ts';

/** @param share the share of the heap that is reported as used; absent: all of it, and far more. */
export function fullHeap(share: number = Number.MAX_SAFE_INTEGER): ProcessOptions {
  return preload(`
    import { syncBuiltinESMExports } from 'node:module';
    import v8 from 'node:v8';
    const real = v8.getHeapSpaceStatistics;
    // The rest without the young generation, which long-lived objects cannot use.
    const used = ${share} * (v8.getHeapStatistics().heap_size_limit - 96 * 1024 * 1024);
    let full = false;
    v8.getHeapSpaceStatistics = () => (full ? [{ space_name: 'old_space', space_used_size: used }] : real());
    syncBuiltinESMExports();
    process.on('SIGUSR2', () => { full = !full; });
  `);
}
