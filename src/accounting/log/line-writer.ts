/**
 * Writes lines in batches, one after another. Adding lines never blocks: if the reader is too slow they wait, up to a
 * bound, and further lines are dropped and counted.
 */

import { LF } from '../../lib/bytes.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { joined } from '../../upstream/net/to-buffer.ts';
import type { LineSink } from './line-sinks.ts';

export interface LineWriterOptions {
  /** The most bytes that may wait. */
  readonly maxWaiting: number;
  /** Milliseconds that a line may wait for others. */
  readonly delay: number;
  /** The most bytes of one write, unless a single line is longer. */
  readonly piece: number;
}

/** A writer of lines. */
export class LineWriter {
  readonly #sink: LineSink;
  readonly #options: LineWriterOptions;
  #waiting: Buffer[] = [];
  /** The bytes that wait. */
  #length = 0;
  /** What is being written now. */
  #writing: Buffer | undefined;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #idle = Promise.withResolvers<void>();

  constructor(sink: LineSink, options: LineWriterOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  /** Takes lines in UTF-8, each with its line break. */
  write(lines: Buffer): void {
    const { maxWaiting, delay, piece } = this.#options;
    if (this.#isClosed || this.#length + lines.length > maxWaiting) {
      this.#dropped += linesIn(lines);
      return;
    }
    this.#waiting.push(lines);
    this.#length += lines.length;
    if (this.#writing !== undefined) return;
    if (this.#length >= piece) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), delay).unref();
  }

  /** The number of lines that were not written. */
  dropped(): number {
    return this.#dropped;
  }

  /** Writes what waits. Resolves when it is written, or after `milliseconds`; the rest is given up. */
  async close(milliseconds: number): Promise<void> {
    this.#isClosed = true;
    this.#flush();
    await withTimeout(this.#idle.promise, milliseconds);
    const unread = this.#writing === undefined ? this.#waiting : [this.#writing, ...this.#waiting];
    for (const lines of unread) this.#dropped += linesIn(lines);
    this.#waiting = [];
    this.#length = 0;
    this.#sink.close();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing !== undefined) return;
    if (this.#length === 0) {
      if (this.#isClosed) this.#idle.resolve();
      return;
    }
    const lines = this.#takePiece();
    this.#writing = lines;
    this.#sink.write(lines, (unwritten) => {
      if (unwritten !== undefined) this.#dropped += linesIn(unwritten);
      this.#writing = undefined;
      if (this.#isClosed || this.#length > 0) this.#flush();
    });
  }

  #takePiece(): Buffer {
    const { piece } = this.#options;
    const taken: Buffer[] = [];
    let size = 0;
    while (size < piece) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      taken.push(next);
      size += next.length;
    }
    const all = joined(taken);
    const end = size > piece ? endOfLines(all, piece) : size;
    if (end < size) this.#waiting.unshift(all.subarray(end));
    this.#length -= end;
    return all.subarray(0, end);
  }
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
