/**
 * Lines on their way out, written in batches, one after another. Whoever adds a line never waits: where the reader
 * does not keep up, lines pile up to a bound, and what comes then is dropped and counted.
 */

import type { Writable } from 'node:stream';

export interface LineWriterOptions {
  /** Most that may wait, in characters. */
  readonly most: number;
  /** Milliseconds that a line may wait for others to go with it. */
  readonly delay: number;
  /** Most that goes out in one write, unless a single line is longer, in characters. */
  readonly piece: number;
}

export interface LineWriter {
  /** Takes a line, with its line break. */
  write(line: string): void;
  /** How many lines nobody will read. */
  dropped(): number;
  /** Writes what waits. Resolves once it is out, or after `milliseconds`; what is not out by then is given up. */
  close(milliseconds: number): Promise<void>;
}

/** So many lines that are out may still be held. */
const FORGOTTEN = 2_000;

/** A writer of lines to `stream`, which is never ended. */
export function lineWriter(stream: Writable, { most, delay, piece }: LineWriterOptions): LineWriter {
  let waiting: string[] = [];
  /** Of those that wait, the first that has not gone out. */
  let next = 0;
  let length = 0;
  let dropped = 0;
  /** Lines that are with the stream now. */
  let writing = 0;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let onIdle: (() => void) | undefined;

  // A reader that went away (EPIPE) is no reason to stop serving. What could not be written is counted below.
  const onError = (): void => undefined;
  stream.on('error', onError);

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (writing > 0) return;
    const lines = takePiece();
    if (lines.length === 0) {
      onIdle?.();
      return;
    }
    writing = lines.length;
    stream.write(lines.join(''), (error) => {
      if (error) dropped += lines.length;
      writing = 0;
      if (closed || length > 0) flush();
    });
  }

  function takePiece(): string[] {
    const first = next;
    let size = 0;
    for (; next < waiting.length; next += 1) {
      const more = waiting[next]?.length ?? 0;
      if (next > first && size + more > piece) break;
      size += more;
    }
    const lines = waiting.slice(first, next);
    length -= size;
    // Not every time: each removal moves what is left.
    if (next === waiting.length || next > FORGOTTEN) {
      waiting = waiting.slice(next);
      next = 0;
    }
    return lines;
  }

  function schedule(): void {
    if (timer !== undefined) return;
    timer = setTimeout(flush, delay);
    timer.unref();
  }

  return {
    write(line) {
      if (closed || length + line.length > most) {
        dropped += 1;
        return;
      }
      waiting.push(line);
      length += line.length;
      if (writing > 0) return;
      if (length >= piece) flush();
      else schedule();
    },
    dropped: () => dropped,
    async close(milliseconds) {
      closed = true;
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, milliseconds);
        onIdle = () => {
          clearTimeout(limit);
          resolve();
        };
        flush();
      });
      dropped += waiting.length - next + writing;
      waiting = [];
      next = 0;
      length = 0;
      stream.off('error', onError);
    },
  };
}
