/**
 * A body that is pushed, as a socket delivers it: a ReadableStream whose underlying source (WHATWG Streams, 4.2.3) is
 * fed from outside. `pull` resumes the socket, and `cancel` aborts it.
 */

import type { GatewayError } from '../lib/errors.ts';

/** Where the bytes come from. */
export interface PushSource {
  /** The queue is empty again and the consumer asks for more. */
  resume(): void;
  /** The queue is full. */
  pause(): void;
  /** The consumer has left. @param reason the error in the body, if that is why. */
  cancel(reason: unknown): void;
  /** The number of bytes at which it is paused; it may change while the body arrives. Undefined: HIGH_WATER_MARK. */
  mostQueued?(): number | undefined;
}

/** How many bytes of a body may wait for the consumer before the source is paused. */
export const HIGH_WATER_MARK = 64 * 1024;

/** The strategy of a stream that pulls only when a read waits on its empty queue. */
export const ON_DEMAND = { highWaterMark: 0 };

/**
 * Such a body: the underlying source of its own stream. The stream pulls when its queue is empty, so the count of queued
 * bytes restarts at 0 then. A `size` function would have to be called for each chunk to find the same.
 */
export class PushBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #source: PushSource;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #queued = 0;
  #isPaused = false;
  #isOver = false;
  #failure: GatewayError | undefined;

  constructor(source: PushSource) {
    this.#source = source;
    this.stream = new ReadableStream<Uint8Array>(this, ON_DEMAND);
  }

  /** Ignored after `close`, `error` or a cancellation. */
  enqueue(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#controller?.enqueue(chunk);
    this.#queued += chunk.byteLength;
    if (this.#queued < (this.#source.mostQueued?.() ?? HIGH_WATER_MARK)) return;
    // Repeated for every chunk, because a decompressor in between resumes the socket whenever it has room itself.
    this.#isPaused = true;
    this.#source.pause();
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller?.close();
  }

  /** Fails the stream after the queued bytes have been read. The stream's own error would discard them. */
  error(error: GatewayError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#queued === 0) this.#controller?.error(error);
    else this.#failure = error;
  }

  /** @internal The stream starts, at once. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  /** @internal The stream has nothing for a read that waits. */
  pull(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#queued = 0;
    if (this.#failure !== undefined) controller.error(this.#failure);
    else if (this.#isPaused) {
      this.#isPaused = false;
      this.#source.resume();
    }
  }

  /** @internal Its consumer has left. */
  cancel(reason: unknown): void {
    this.#isOver = true;
    this.#source.cancel(reason);
  }
}
