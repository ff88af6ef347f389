/** How much memory the process may use. */

import { totalmem } from 'node:os';

/** Bytes: the limit of its container, or else the memory of the machine. */
export function grantedMemory(): number {
  // It is 0, or more than the machine has, if nothing constrains the process.
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}
