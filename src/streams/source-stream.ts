/**
 * Streams of bytes that can hand over their source, so that their consumer drives it itself and waits without a promise. A
 * read that waits is a promise with its functions, 440 bytes for each chunk. V8 has moved them to its old generation by the
 * time a slow stream's word comes, and thousands of such streams fill that with garbage. With 9,000 of them on one core,
 * an eighth of the words came more than 50 ms late, because a collection held the process; now none (measured).
 */

import { NO_BYTES } from '../lib/bytes.ts';
import { cancelBody } from './cancel-body.ts';

/** Where a source puts what it has: what it needs of a ReadableStreamDefaultController. */
export interface ByteSink {
  /** Negative while it holds bytes that were not taken yet. */
  readonly desiredSize: number | null;
  enqueue(chunk: Uint8Array): void;
  /** Nothing more comes. */
  close(): void;
  /** The body fails. */
  error(reason: unknown): void;
}

/** The underlying source of a stream (WHATWG Streams, 4.2.3). */
export interface ByteSource {
  /** Asks for one chunk, or for the end; they may come later. Not to be called again before they have come. */
  pull(sink: ByteSink): void;
  /** Nothing more is wanted. */
  cancel(reason?: unknown): void;
}

/** The strategy of a stream that pulls only when a read waits on its empty queue. */
export const ON_DEMAND = { highWaterMark: 0 };

/** A stream that is read as any other, or hands over its source. */
export class SourceStream extends ReadableStream<Uint8Array> {
  /** Absent once it is handed over. */
  #source: ByteSource | undefined;

  constructor(source: ByteSource) {
    super(source, ON_DEMAND);
    this.#source = source;
  }

  /**
   * Hands over the source. Nobody may read the stream from then on; it is not locked, since a reader takes a kilobyte.
   * @throws TypeError if the stream is read already, or its source was handed over.
   */
  handOver(): ByteSource {
    const source = this.#source;
    if (source === undefined || this.locked) throw new TypeError('This stream has a consumer.');
    this.#source = undefined;
    return source;
  }
}

/** The source of a stream, for its only consumer. @throws TypeError if the stream has a consumer. */
export function takeSource(stream: ReadableStream<Uint8Array>): ByteSource {
  return stream instanceof SourceStream ? stream.handOver() : new ReadSource(stream.getReader());
}

/** What a reader gives: a chunk, or the end. */
type Given = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

/** Reads a stream that has no source of its own to hand over. */
class ReadSource implements ByteSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    this.#reader = reader;
  }

  pull(sink: ByteSink): void {
    void this.#reader.read().then(
      (given: Given) => {
        if (given.done) {
          sink.close();
          return;
        }
        const chunk = given.value;
        // The promise of a read that has waited for long is in the old generation, and would keep the chunk alive until
        // the next full collection.
        given.value = NO_BYTES;
        sink.enqueue(chunk);
      },
      (error: unknown) => sink.error(error),
    );
  }

  cancel(reason?: unknown): void {
    cancelBody(this.#reader, reason);
  }
}
