/**
 * A body that is pushed, as a socket delivers it. Its consumer takes the chunks one by one, or reads them as a
 * ReadableStream whose underlying source (WHATWG Streams, 4.2.3) the body is. To take a chunk resumes the socket, and to
 * cancel aborts it.
 */

import { GatewayError } from '../lib/errors.ts';
import { type ByteSink, type ByteSource, SourceStream } from './source-stream.ts';

/** Where the bytes come from. */
export interface PushSource {
  /** The queue is empty again and the consumer asks for more. */
  resume(): void;
  /** The queue is full. */
  pause(): void;
  /** The consumer has left. @param reason the error in the body, if that is why. */
  cancel(reason: unknown): void;
  /** The number of bytes at which it is paused; it may change while the body arrives. Undefined: HIGH_WATER_MARK. */
  maxQueued?(): number | undefined;
}

/** Who takes the chunks. */
export interface Consumer {
  /** After `next` has had nothing: now there is a chunk, or the end. */
  available(): void;
}

/** How many bytes of a body may wait for the consumer before the source is paused. */
export const HIGH_WATER_MARK = 64 * 1024;

/** Such a body. It has one consumer. */
export class PushBody implements Consumer, ByteSource {
  readonly #source: PushSource;
  /** What the consumer has not taken: the next chunk, and those after it, of which there are none as a rule. */
  #next: Uint8Array | undefined;
  #later: Uint8Array[] | undefined;
  #queued = 0;
  #isPaused = false;
  /** What follows the queue: the end, or the failure. */
  #end: 'end' | GatewayError | undefined;
  /** Who waits for the next chunk. */
  #waiting: Consumer | undefined;
  /** Who reads the body as a stream. */
  #sink: ByteSink | undefined;

  constructor(source: PushSource) {
    this.#source = source;
  }

  // For the source.

  /** Ignored after `close`, `error` or a cancellation. */
  enqueue(chunk: Uint8Array): void {
    if (this.#end !== undefined) return;
    if (this.#next === undefined) this.#next = chunk;
    else if (this.#later === undefined) this.#later = [chunk];
    else this.#later.push(chunk);
    this.#queued += chunk.byteLength;
    this.#notify();
    if (this.#isPaused || this.#queued < (this.#source.maxQueued?.() ?? HIGH_WATER_MARK)) return;
    this.#isPaused = true;
    this.#source.pause();
  }

  close(): void {
    this.#endWith('end');
  }

  /** Fails the body, after the queued chunks. */
  error(error: GatewayError): void {
    this.#endWith(error);
  }

  // For the consumer.

  /**
   * Takes the next chunk, or learns how the body ended. Undefined: nothing has come; `consumer` is called once as soon as
   * something has, while the source still runs.
   */
  next(consumer: Consumer): Uint8Array | 'end' | GatewayError | undefined {
    const chunk = this.#next;
    if (chunk !== undefined) {
      this.#next = this.#later?.shift();
      this.#queued -= chunk.byteLength;
      return chunk;
    }
    if (this.#end !== undefined) return this.#end;
    this.#waiting = consumer;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#source.resume();
    }
    return undefined;
  }

  /** Drops what is queued, and cancels the source unless it has ended. @param reason the error in the body, if any. */
  cancel(reason?: unknown): void {
    this.#next = undefined;
    this.#later = undefined;
    this.#queued = 0;
    this.#waiting = undefined;
    if (this.#end !== undefined) return;
    this.#end = 'end';
    this.#source.cancel(reason);
  }

  /** Makes the stream that reads the body. It queues nothing itself. */
  stream(): ReadableStream<Uint8Array> {
    return new SourceStream(this);
  }

  /** @internal A read of the stream waits. */
  pull(sink: ByteSink): void {
    this.#sink = sink;
    const next = this.next(this);
    if (next === undefined) return;
    if (next === 'end') sink.close();
    else if (next instanceof GatewayError) sink.error(next);
    else sink.enqueue(next);
  }

  /** @internal There is something for the read that waits. */
  available(): void {
    if (this.#sink !== undefined) this.pull(this.#sink);
  }

  #endWith(how: 'end' | GatewayError): void {
    if (this.#end !== undefined) return;
    this.#end = how;
    this.#notify();
  }

  #notify(): void {
    const consumer = this.#waiting;
    this.#waiting = undefined;
    consumer?.available();
  }
}

/** A body of which all chunks are here. */
export function pushedWhole(chunks: readonly Uint8Array[]): PushBody {
  const body = new PushBody({ resume() {}, pause() {}, cancel() {} });
  for (const chunk of chunks) body.enqueue(chunk);
  body.close();
  return body;
}
