/**
 * Writes lines to a stream in batches, one after another. Adding lines never blocks: if the reader is too slow they
 * wait, up to a bound, and further lines are dropped and counted.
 */

import type { Writable } from 'node:stream';
import { LF } from '../../lib/bytes.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { joined } from '../../upstream/net/to-buffer.ts';

export interface LineWriterOptions {
  /** The most bytes that may wait. */
  readonly maxWaiting: number;
  /** Milliseconds that a line may wait for others. */
  readonly delay: number;
  /** The most bytes of one write, unless a single line is longer. */
  readonly piece: number;
}

export interface LineWriter {
  /** Takes lines in UTF-8, each with its line break. */
  write(lines: Buffer): void;
  /** The number of lines that were not written. */
  dropped(): number;
  /** Writes what waits. Resolves when it is written, or after `milliseconds`; the rest is given up. */
  close(milliseconds: number): Promise<void>;
}

/** A writer of lines to `stream`. The stream is never ended. */
export function lineWriter(stream: Writable, { maxWaiting, delay, piece }: LineWriterOptions): LineWriter {
  let waiting: Buffer[] = [];
  let length = 0;
  let dropped = 0;
  /** What the stream is writing now. */
  let writing: Buffer | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let onIdle: (() => void) | undefined;

  // A reader that went away (EPIPE) is no reason to stop serving. Lines that could not be written are counted below.
  const onError = (): void => undefined;
  stream.on('error', onError);

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (writing !== undefined) return;
    if (length === 0) {
      onIdle?.();
      return;
    }
    const lines = takePiece();
    writing = lines;
    stream.write(lines, (error) => {
      if (error) dropped += linesIn(lines);
      writing = undefined;
      if (closed || length > 0) flush();
    });
  }

  function takePiece(): Buffer {
    const taken: Buffer[] = [];
    let size = 0;
    while (size < piece) {
      const next = waiting.shift();
      if (next === undefined) break;
      taken.push(next);
      size += next.length;
    }
    const all = joined(taken);
    const end = size > piece ? endOfLines(all, piece) : size;
    if (end < size) waiting.unshift(all.subarray(end));
    length -= end;
    return all.subarray(0, end);
  }

  function schedule(): void {
    if (timer !== undefined) return;
    timer = setTimeout(flush, delay);
    timer.unref();
  }

  return {
    write(lines) {
      if (closed || length + lines.length > maxWaiting) {
        dropped += linesIn(lines);
        return;
      }
      waiting.push(lines);
      length += lines.length;
      if (writing !== undefined) return;
      if (length >= piece) flush();
      else schedule();
    },
    dropped: () => dropped,
    async close(milliseconds) {
      closed = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      onIdle = resolve;
      flush();
      await withTimeout(promise, milliseconds);
      const unread = writing === undefined ? waiting : [writing, ...waiting];
      for (const lines of unread) dropped += linesIn(lines);
      waiting = [];
      length = 0;
      stream.off('error', onError);
    },
  };
}

/** The end of the last line that ends within `room` bytes, or of the first line if that is longer. */
function endOfLines(bytes: Buffer, room: number): number {
  const last = bytes.lastIndexOf(LF, room - 1);
  return (last < 0 ? bytes.indexOf(LF) : last) + 1;
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
