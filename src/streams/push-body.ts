/**
 * A body that is pushed, as a socket gives it: the ReadableStream whose underlying source (WHATWG Streams, 4.2.3) is fed
 * from outside. `pull` resumes the socket and `cancel` aborts it.
 */

import type { GatewayError } from '../lib/errors.ts';

/** Where the bytes come from. */
export interface PushSource {
  /** The queue is empty again and the consumer asks for more. */
  resume(): void;
  /** The queue is full. */
  pause(): void;
  /** The consumer has left. @param reason what was wrong with the body, where that is why. */
  cancel(reason: unknown): void;
}

export interface PushBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Whether it has a consumer. */
  isTaken(): boolean;
  /** Of `close` and `error` one is called, once, and nothing after it. */
  enqueue(chunk: Uint8Array): void;
  close(): void;
  /** Fails the stream once what is queued has been read: an error would throw that away. */
  error(error: GatewayError): void;
}

/** How much of a body waits for its consumer before the source pauses, in bytes. */
export const HIGH_WATER_MARK = 64 * 1024;

/**
 * The stream's own high water mark is 0, so it pulls only when a read waits on an empty queue. That is when the count of
 * queued bytes starts anew: a `size` function would be called for each chunk to say the same.
 * @param mostQueued bytes after which the source is told to pause; may change while the body is on its way.
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
      // Said again with every chunk: a decompressor in between resumes the socket when it has room itself.
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
