/** How much memory the process may have. */

import { totalmem } from 'node:os';

/** Bytes: what its container has, or else the machine. */
export function grantedMemory(): number {
  // 0, or more than there is, where nothing constrains the process.
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}
