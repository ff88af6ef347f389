/** What Node and libraries warn of goes into the log, so that a JSON log is JSON to its last line. */

import type { LogProblem } from '../../lib/diagnostics.ts';

/** The most kinds of warnings that are logged: what is repeated may differ each time in a number. */
const MOST = 20;

/**
 * Reports each warning once, in place of Node, which prints it each time and in several lines. Google's library warns
 * at every attempt to reach the metadata server. Does nothing if nobody wants warnings (`NODE_NO_WARNINGS`).
 */
export function logWarnings(log: LogProblem): void {
  if (process.listenerCount('warning') === 0) return;
  const told = new Set<string>();
  process.removeAllListeners('warning').on('warning', ({ name, message }) => {
    if (told.has(message) || told.size === MOST) return;
    told.add(message);
    log(`${name}: ${message}`);
  });
}
