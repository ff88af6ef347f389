/** The process's standard output as a stream that never makes the event loop wait. */

import { createWriteStream, fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';

/**
 * To a pipe or a socket Node writes without waiting (measured: Node 26, Linux, a reader that never reads). To files and
 * terminals `process.stdout` waits for every write ("A note on process I/O", Node documentation), so those are written
 * by a stream of the file system, which waits in a thread. Not the other way round: a thread that writes to a pipe
 * nobody reads keeps the process from exiting.
 */
export function standardOutput(): Writable {
  const { stdout } = process;
  const kind = fstatSync(stdout.fd);
  if (kind.isFIFO() || kind.isSocket()) return stdout;
  return createWriteStream('', { fd: stdout.fd, autoClose: false });
}
