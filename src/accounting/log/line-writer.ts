/**
 * Lines on their way out, written in batches, one after another. Whoever adds lines never waits: where the reader does
 * not keep up, they pile up to a bound, and what comes then is dropped and counted.
 */

import type { Writable } from 'node:stream';
import { withTimeout } from '../../lib/with-timeout.ts';
import { joined } from '../../upstream/net/to-buffer.ts';

export interface LineWriterOptions {
  /** Most that may wait, in bytes. */
  readonly most: number;
  /** Milliseconds that a line may wait for others to go with it. */
  readonly delay: number;
  /** Most that goes out in one write, unless a single line is longer, in bytes. */
  readonly piece: number;
}

export interface LineWriter {
  /** Takes lines, each with its line break, as they are in UTF-8. */
  write(lines: Buffer): void;
  /** How many lines nobody will read. */
  dropped(): number;
  /** Writes what waits. Resolves once it is out, or after `milliseconds`; what is not out by then is given up. */
  close(milliseconds: number): Promise<void>;
}

const LF = 0x0a;

/** A writer of lines to `stream`, which is never ended. */
export function lineWriter(stream: Writable, { most, delay, piece }: LineWriterOptions): LineWriter {
  let waiting: Buffer[] = [];
  let length = 0;
  let dropped = 0;
  /** What is with the stream now. */
  let writing: Buffer | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let onIdle: (() => void) | undefined;

  // A reader that went away (EPIPE) is no reason to stop serving. What could not be written is counted below.
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
      if (closed || length + lines.length > most) {
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

/** Where the last line ends that ends within `room` bytes, or the first one where it is longer than that. */
function endOfLines(bytes: Buffer, room: number): number {
  const last = bytes.lastIndexOf(LF, room - 1);
  return (last < 0 ? bytes.indexOf(LF) : last) + 1;
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
