/**
 * The coding `deflate`: data in zlib's wrapper (RFC 1950), or without it, as "some non-conformant implementations" send it
 * (RFC 9110, 8.4.1.2). Browsers read both.
 */

import { Transform, type TransformCallback } from 'node:stream';
import { createInflate, createInflateRaw, type Inflate, type InflateRaw } from 'node:zlib';

/** The method of compression in the first byte of zlib's wrapper, and the bits in which it stands. */
const METHOD = 0x0f;
const DEFLATE = 8;

/** Decompresses either. What comes behind the end of the data is ignored, as node:zlib ignores it. */
export class AnyDeflate extends Transform {
  #inflate: Inflate | InflateRaw | undefined;
  /** Called at the end of the data, once all of the body has come. */
  #flushed: TransformCallback | undefined;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const [first] = chunk;
    if (first === undefined) {
      done();
      return;
    }
    // Bare data does not begin so: it would be a stored block whose padding is not zero.
    this.#inflate ??= this.#open((first & METHOD) === DEFLATE ? createInflate() : createInflateRaw());
    this.#inflate.write(chunk, () => done());
  }

  override _flush(done: TransformCallback): void {
    this.#flushed = done;
    this.#inflate ??= this.#open(createInflate());
    this.#inflate.end();
  }

  override _read(size: number): void {
    this.#inflate?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inflate?.destroy();
    done(error);
  }

  #open<T extends Inflate | InflateRaw>(inflate: T): T {
    inflate
      .on('data', (piece: Buffer) => {
        if (!this.push(piece)) inflate.pause();
      })
      .on('end', () => {
        if (this.#flushed === undefined) this.push(null);
        else this.#flushed();
      })
      .on('error', (error) => this.destroy(error));
    return inflate;
  }
}
