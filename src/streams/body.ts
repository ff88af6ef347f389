/**
 * A body on its way: the underlying source of a ReadableStream and the underlying sink of a WritableStream (WHATWG
 * Streams, 4.2.3 and 5.2.3), joined without the streams. What a chunk costs in a stream is promises: 10 µs under load,
 * more than to translate what is in it (bench/NOTES.md). `readableOf` makes the stream where one is wanted.
 */

import { byteAccumulator } from '../lib/byte-accumulator.ts';
import { asGatewayError, type GatewayError } from '../lib/errors.ts';
import { toBuffer } from '../upstream/net/to-buffer.ts';

/** Where a body goes. Of `close` and `abort` one is called, once, and nothing after it. */
export interface BodySink {
  /** @returns whether it takes more for now; where not, it will `pull`. */
  write(chunk: Uint8Array): boolean;
  close(): void;
  abort(error: GatewayError): void;
}

export interface Body {
  /** Gives what has come so far, and then what comes. Called once. */
  pipeTo(sink: BodySink): void;
  /** The sink takes more again. */
  pull(): void;
  /** Nobody wants the rest: the sink hears nothing more. @param error what was wrong with it, where that is why. */
  cancel(error?: GatewayError): void;
}

/** A body as the stream it stands for. What has come is read before the stream fails. */
export function readableOf(body: Body): ReadableStream<Uint8Array> {
  let failure: GatewayError | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        body.pipeTo({
          write(chunk) {
            controller.enqueue(chunk);
            return (controller.desiredSize ?? 0) > 0;
          },
          close: () => controller.close(),
          abort(error) {
            // An error would throw away what is not read yet.
            if (controller.desiredSize === 0) controller.error(error);
            else failure = error;
          },
        });
      },
      pull(controller) {
        if (failure === undefined) body.pull();
        else controller.error(failure);
      },
      cancel: () => body.cancel(),
    },
    { highWaterMark: 0, size: (chunk) => chunk.byteLength },
  );
}

/** A body that is all there. */
export function bodyOfBytes(bytes: Uint8Array): Body {
  return {
    pipeTo(sink) {
      sink.write(bytes);
      sink.close();
    },
    pull() {},
    cancel() {},
  };
}

/**
 * All of a body. Its pieces are copied as they come: a vendor may send one byte in each, and a piece takes a hundred.
 * @param holds told how many bytes are held for it so far; where it throws, no more is read.
 * @throws what the body fails with, what `holds` throws, or `tooLong` where it is longer than `limit` bytes.
 */
export function wholeOf(
  body: Body,
  limit: number,
  tooLong: () => GatewayError,
  holds: (bytes: number) => void = () => {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const whole = byteAccumulator(limit);
    const leave = (error: GatewayError): false => {
      body.cancel();
      reject(error);
      return false;
    };
    body.pipeTo({
      write(chunk) {
        if (whole.size() + chunk.byteLength > limit) return leave(tooLong());
        whole.add(toBuffer(chunk));
        try {
          holds(whole.held());
        } catch (error) {
          return leave(asGatewayError(error));
        }
        return true;
      },
      close: () => resolve(whole.whole()),
      abort: reject,
    });
  });
}
