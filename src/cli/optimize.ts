/**
 * When V8 optimizes functions: not during a start, which is over before it pays. V8's optimizing compilers take 11 MB as
 * soon as they run (measured), so `gateway.js` lets no function pass their filters before it loads the program.
 *
 * V8 applies a filter to every decision to optimize, so a function that was often called during the start is optimized as
 * soon as it is called again. V8's limit for the size of functions (`--max-optimized-bytecode-size`) does not work so: a
 * function that has met it stays as it is for a very long time. With `--no-turbofan` and `--no-maglev`,
 * 6 of the 11 MB come back at once.
 *
 * A thread that decides just then whether to optimize a function may see neither the old filter nor the new one. That
 * costs it this one decision.
 */

import { setFlagsFromString } from 'node:v8';

/** Lets V8 optimize all functions from now on, as it does by itself. */
export function optimize(): void {
  setFlagsFromString('--maglev-filter=*');
  setFlagsFromString('--turbo-filter=*');
}
