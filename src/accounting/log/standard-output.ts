/** The standard output of the process, written without blocking the event loop. */

import { createWriteStream, fstatSync } from 'node:fs';
import { fileSink, type LineSink, streamSink } from './line-sinks.ts';

/**
 * Node writes to pipes and sockets without blocking (measured: Node 26, Linux, a reader that never reads). To files and
 * terminals, `process.stdout` blocks on every write ("A note on process I/O", Node documentation), so those are written in
 * a thread. It cannot be the other way round: a thread that writes to a pipe without a reader keeps the process from
 * exiting.
 */
export function standardOutput(): LineSink {
  const { stdout } = process;
  const kind = fstatSync(stdout.fd);
  if (kind.isFIFO() || kind.isSocket()) return streamSink(stdout);
  if (kind.isFile()) return fileSink(stdout.fd);
  return streamSink(createWriteStream('', { fd: stdout.fd, autoClose: false }));
}
