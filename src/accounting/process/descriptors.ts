/** The files and sockets of this process, from /proc on Linux; unknown elsewhere. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { errorCode } from '../../lib/error-code.ts';

/** The most descriptors that may be open; undefined if unknown. */
export function descriptorLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** The number of open descriptors; undefined if unknown, Infinity if not even one is left for this look. */
export function openDescriptors(): number | undefined {
  try {
    // Since Linux 6.2 the size of the folder is the number of its entries; before, it is 0.
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length;
  } catch (error) {
    return errorCode(error) === 'EMFILE' ? Number.POSITIVE_INFINITY : undefined;
  }
}
