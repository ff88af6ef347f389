import { readFileSync } from 'node:fs';

/** How many files and sockets the process may have open. Linux tells it in /proc; elsewhere it is not known. */
export function descriptorLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
