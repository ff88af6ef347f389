/** Where lines of the log can go: to a stream, or to a file. */

import { write } from 'node:fs';
import type { Writable } from 'node:stream';
import { LF } from '../../lib/bytes.ts';

/** Takes lines, one write after another. */
export interface LineSink {
  /** Writes lines. @param done called with those that could not be written, if any. */
  write(lines: Buffer, done: (unwritten?: Buffer) => void): void;
  /** Called when nothing more is written. What is behind the sink stays open. */
  close(): void;
}

/** A stream, which is never ended. */
export function streamSink(stream: Writable): LineSink {
  stream.on('error', ignore);
  return {
    write: (lines, done) => void stream.write(lines, (error) => done(error ? lines : undefined)),
    close: () => void stream.off('error', ignore),
  };
}

/** A reader that went away (EPIPE) is no reason to stop serving. Lines that could not be written are counted. */
function ignore(): void {}

/**
 * A file, written in a thread. Each write is tried on its own: a stream of Node would write nothing more after a disk was
 * full for a moment. The rest of a line that a full disk has cut in two is written before the next lines.
 */
export function fileSink(fd: number): LineSink {
  let cut = Buffer.alloc(0);
  return {
    write(lines, done) {
      const bytes = cut.length === 0 ? lines : Buffer.concat([cut, lines]);
      writeAll(fd, bytes, 0, (written) => {
        const isCut = written === 0 ? cut.length > 0 : bytes[written - 1] !== LF;
        const next = isCut ? bytes.indexOf(LF, written) + 1 : written;
        cut = Buffer.from(bytes.subarray(written, next));
        done(next < bytes.length ? bytes.subarray(next) : undefined);
      });
    },
    close() {},
  };
}

/** Writes from `start` on. @param done called with how many bytes are written in the end. */
function writeAll(fd: number, bytes: Buffer, start: number, done: (written: number) => void): void {
  write(fd, bytes, start, bytes.length - start, null, (error, written) => {
    if (error || start + written === bytes.length) done(error ? start : bytes.length);
    else writeAll(fd, bytes, start + written, done);
  });
}
