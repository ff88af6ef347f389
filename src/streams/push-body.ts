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
}

export interface PushBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Whether the stream has a consumer. */
  isTaken(): boolean;
  /** Ignored after `close`, `error` or a cancellation. */
  enqueue(chunk: Uint8Array): void;
  close(): void;
  /** Fails the stream after the queued bytes have been read. The stream's own error would discard them. */
  error(error: GatewayError): void;
}

/** How many bytes of a body may wait for the consumer before the source is paused. */
export const HIGH_WATER_MARK = 64 * 1024;

/**
 * Makes the stream. Its own high water mark is 0, so it pulls only when a read waits on an empty queue. At that moment
 * the count of queued bytes restarts at 0; a `size` function would have to be called for each chunk to find the same.
 * @param mostQueued the number of bytes at which the source is paused; it may change while the body arrives.
 */
export function pushBody(source: PushSource, mostQueued: () => number = () => HIGH_WATER_MARK): PushBody {
  let queued = 0;
  let isPaused = false;
  let isOver = false;
  let failure: GatewayError | undefined;
  let given: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        given = controller;
      },
      pull(controller) {
        queued = 0;
        if (failure !== undefined) controller.error(failure);
        else if (isPaused) {
          isPaused = false;
          source.resume();
        }
      },
      cancel(reason) {
        isOver = true;
        source.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  if (given === undefined) throw new TypeError('The stream has not started.');
  const controller = given;
  return {
    stream,
    isTaken: () => stream.locked,
    enqueue(chunk) {
      if (isOver) return;
      controller.enqueue(chunk);
      queued += chunk.byteLength;
      if (queued < mostQueued()) return;
      // Repeated for every chunk, because a decompressor in between resumes the socket whenever it has room itself.
      isPaused = true;
      source.pause();
    },
    close() {
      if (isOver) return;
      isOver = true;
      controller.close();
    },
    error(error) {
      if (isOver) return;
      isOver = true;
      if (queued === 0) controller.error(error);
      else failure = error;
    },
  };
}
