/** The files and sockets of this process, as Linux tells of them in /proc; elsewhere nothing is known. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { errorCode } from '../../lib/error-code.ts';

/** How many it may have open. */
export function descriptorLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** How many it has open; infinitely many where not even one is left for the look itself. */
export function openDescriptors(): number | undefined {
  try {
    // Since Linux 6.2 the size of the folder is the number of entries; before, it is 0.
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length;
  } catch (error) {
    return errorCode(error) === 'EMFILE' ? Number.POSITIVE_INFINITY : undefined;
  }
}
