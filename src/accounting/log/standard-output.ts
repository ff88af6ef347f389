/** The standard output of the process as a stream that never blocks the event loop. */

import { createWriteStream, fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';

/**
 * Node writes to pipes and sockets without blocking (measured: Node 26, Linux, a reader that never reads). To files and
 * terminals, `process.stdout` blocks on every write ("A note on process I/O", Node documentation), so a file stream
 * writes those in a thread. It cannot be the other way round: a thread that writes to a pipe without a reader keeps the
 * process from exiting.
 */
export function standardOutput(): Writable {
  const { stdout } = process;
  const kind = fstatSync(stdout.fd);
  if (kind.isFIFO() || kind.isSocket()) return stdout;
  return createWriteStream('', { fd: stdout.fd, autoClose: false });
}
